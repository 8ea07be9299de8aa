"""Chat completions: an OpenAI request becomes a question, its answer an OpenAI completion."""

import asyncio
import time
import uuid
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from contracts.answer import Answer
from contracts.question import Asker
from serving.access import RequestGuard
from serving.asking import Asked, asked_in, asker_of
from serving.describing import COMPLETION_ANSWERS, MODEL_ANSWERS, problems_told
from serving.doorway import guarded_route
from serving.extension_wire import GoldenTask
from serving.finishing import Finisher, usage_of
from serving.naming import conversation_named
from serving.offers import Offer, ServedModel
from serving.problems import request_id_of, respond
from serving.request_wire import CompletionRequest
from serving.streaming import ChunkWriter, stream_completion, stream_text
from serving.tasks import TaskAnswerer, find_task
from serving.wire import AnswerMessage, Choice, Completion, Model, ModelList, Problem

PREFIXES = ("/v1/", "/chat/completions")
_DISCONNECT_POLL_S = 0.5
_EVENTS = "text/event-stream"
# The server's own pages ask in the same process.
_OWN_FACE = "chat"
# Proxies that buffer would hold the steps back until the answer is there.
_STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the routes serve: the offer, who asks where a request does not say, when the server began."""

    offer: Offer
    asker: Asker
    keep_alive_s: float
    started: int


def completion_routes(serving: Serving, guard: RequestGuard) -> APIRouter:
    """Return the OpenAI-compatible routes, each with and without ``/v1`` in front; ``guard`` lets requests in."""
    router = APIRouter(tags=["openai"], route_class=guarded_route(guard, "ask"))
    tasks = TaskAnswerer(serving.offer)

    @router.post("/chat/completions", include_in_schema=False)
    @router.post(
        "/v1/chat/completions",
        response_model=Completion,
        responses={**COMPLETION_ANSWERS, **problems_told(400, 404, 413, 500, 503)},
    )
    async def complete(body: CompletionRequest, request: Request) -> Response:
        """Answer the last user message; the earlier ones are its history."""
        asker = asker_of(request.state.actor, serving.asker)
        model = await serving.offer.models.find(body.model or "", asker.groups)
        if model is None:
            return await _unknown_model(serving, body.model or "", asker)
        asked = asked_in(body, asker, model, footer=serving.offer.footer)
        asked = replace(asked, conversation_id=conversation_named(body, request.headers))
        if getattr(request.state, "in_process", False):
            asked = replace(asked, asker=asked.asker.model_copy(update={"face": _OWN_FACE}))
        exchange = _Exchange(serving=serving, body=body, asked=asked, request=request)
        task = find_task(body.messages)
        if task is not None:
            return exchange.told(await tasks.answer(task, asked.asker), task.kind)
        return await (exchange.streamed() if body.stream else exchange.whole())

    @router.get("/models", include_in_schema=False)
    @router.get("/v1/models", responses={**MODEL_ANSWERS, **problems_told(503)})
    async def models(request: Request) -> ModelList:
        """List the models: the bot, its profiles, and one for each document group that the asker may read."""
        asker = asker_of(request.state.actor, serving.asker)
        return ModelList(data=[_listed(serving, each) for each in await serving.offer.models.models(asker.groups)])

    @router.get("/models/{model:path}", include_in_schema=False)
    @router.get("/v1/models/{model:path}", response_model=Model, responses=problems_told(404, 503))
    async def model(model: str, request: Request) -> Response:
        """Describe a model."""
        asker = asker_of(request.state.actor, serving.asker)
        found = await serving.offer.models.find(model, asker.groups) if model else None
        if found is None:
            return await _unknown_model(serving, model, asker)
        return JSONResponse(_listed(serving, found).model_dump())

    return router


def _listed(serving: Serving, model: ServedModel) -> Model:
    return Model(id=model.id, created=serving.started, name=model.name)


async def _unknown_model(serving: Serving, model: str, asker: Asker) -> JSONResponse:
    default = (await serving.offer.models.models(asker.groups))[0].id
    message = f"The model {model!r} does not exist; use {default!r}, or one that GET /v1/models lists."
    problem = Problem(message=message, type="invalid_request_error", param="model", code="model_not_found")
    return respond(404, problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """One request that asks, and how it is answered."""

    serving: Serving
    body: CompletionRequest
    asked: Asked
    request: Request

    async def whole(self) -> Response:
        """Answer in one piece."""
        asked = self.asked
        chatbot = await self.serving.offer.models.chatbot(asked.model)
        work = asyncio.create_task(
            chatbot.ask(
                asked.question,
                conversation_id=asked.conversation_id,
                history=asked.given_history,
                asker=asked.asker,
                picks=asked.picks,
            )
        )
        try:
            while not (await asyncio.wait({work}, timeout=_DISCONNECT_POLL_S))[0]:
                if await self.request.is_disconnected():
                    # Nobody reads this; the status is what access logs of others call it.
                    return Response(status_code=499)
            answer = work.result()
        finally:
            work.cancel()
            await asyncio.wait({work})
        return JSONResponse(await self._completion(answer))

    async def streamed(self) -> Response:
        """Answer as it is written."""
        asked = self.asked
        chatbot = await self.serving.offer.models.chatbot(asked.model)
        # What is wrong with the question is raised here, while the status can still say so.
        events = chatbot.stream(
            asked.question,
            conversation_id=asked.conversation_id,
            history=asked.given_history,
            asker=asked.asker,
            picks=asked.picks,
        )
        chunks = stream_completion(
            events,
            self._writer(),
            self._finisher(),
            request_id=request_id_of(self.request),
            progress=asked.progress,
            with_usage=self._with_usage,
            keep_alive_s=self.serving.keep_alive_s,
        )
        return StreamingResponse(chunks, media_type=_EVENTS, headers=_STREAM_HEADERS)

    def told(self, text: str, task: str) -> Response:
        """Answer with ``text`` what a front end asked for itself."""
        golden = GoldenTask(task=task)
        usage = usage_of(self.asked.prompt_tokens, text)
        if self.body.stream:
            fields = {"golden": golden.model_dump()}
            chunks = stream_text(self._writer(), text, fields, usage if self._with_usage else None)
            return Response("".join(chunks), media_type=_EVENTS, headers=_STREAM_HEADERS)
        completion = Completion(
            id=_completion_id(),
            created=int(time.time()),
            model=self.asked.model.id,
            choices=[Choice(message=AnswerMessage(content=text, golden=golden))],
            usage=usage,
        )
        return JSONResponse(completion.model_dump())

    async def _completion(self, answer: Answer) -> dict[str, object]:
        finish = await self._finisher().finish(answer)
        fields = dict(finish.fields)
        metadata = fields.pop("metadata", None)
        message = AnswerMessage(content=finish.cut.content, **fields)
        return Completion(
            id=_completion_id(),
            created=int(time.time()),
            model=self.asked.model.id,
            choices=[Choice(message=message, finish_reason=finish.cut.finish_reason)],
            usage=finish.usage,
            citations=fields["citations"],
            sources=fields["sources"],
            metadata=metadata,
        ).model_dump()

    def _finisher(self) -> Finisher:
        return Finisher(self.asked, self.serving.offer, metadata=self.body.metadata)

    def _writer(self) -> ChunkWriter:
        return ChunkWriter(
            _completion_id(),
            int(time.time()),
            self.asked.model.id,
            with_usage=self._with_usage,
            passages=self.asked.passages,
        )

    @property
    def _with_usage(self) -> bool:
        return bool(self.body.stream_options and self.body.stream_options.include_usage)


def _completion_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"
