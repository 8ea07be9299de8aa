"""Chat completions: an OpenAI request becomes a question, its answer an OpenAI completion."""

import asyncio
import time
import uuid
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from agent.chatbot import Chatbot
from contracts.answer import Answer
from contracts.errors import InvalidInput
from contracts.question import Asker, SensePick, Turn
from serving.access import Actor, RequestGuard
from serving.doorway import guarded_route
from serving.extension import golden_answer
from serving.footer import without_footer
from serving.problems import refuse, request_id_of, respond
from serving.streaming import ChunkWriter, pieces_of, stream_completion, tokens_of, usage_of
from serving.wire import AnswerMessage, Choice, Completion, CompletionRequest, Message, Model, ModelList, Problem

PREFIXES = ("/v1/", "/chat/completions")
_DISCONNECT_POLL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the routes serve: the bot, the name it is listed under, who asks where a request does not say."""

    chatbot: Chatbot
    model_name: str
    asker: Asker
    keep_alive_s: float
    started: int


def completion_routes(serving: Serving, guard: RequestGuard) -> APIRouter:
    """Return the OpenAI-compatible routes, each with and without ``/v1`` in front; ``guard`` lets requests in."""
    router = APIRouter(tags=["openai"], route_class=guarded_route(guard, "ask"))

    @router.post("/chat/completions", include_in_schema=False)
    @router.post("/v1/chat/completions", response_model=Completion)
    async def complete(body: CompletionRequest, request: Request) -> Response:
        """Answer the last user message; the earlier ones are its history."""
        refusal = _refusal(body, serving.model_name)
        if refusal is not None:
            return refusal
        asked = _asked(body, _asker_of(request.state.actor, serving.asker))
        if body.stream:
            return _stream(serving, body, asked, request)
        return await _whole(serving, asked, request)

    @router.get("/models", include_in_schema=False)
    @router.get("/v1/models")
    async def models() -> ModelList:
        """List the one model there is."""
        return ModelList(data=[Model(id=serving.model_name, created=serving.started)])

    @router.get("/models/{model}", include_in_schema=False)
    @router.get("/v1/models/{model:path}", response_model=Model)
    async def model(model: str) -> Response:
        """Describe the model."""
        if model != serving.model_name:
            return _unknown_model(model, serving.model_name)
        return JSONResponse(Model(id=model, created=serving.started).model_dump())

    return router


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    question: str
    history: tuple[Turn, ...]
    asker: Asker
    picks: tuple[SensePick, ...]

    @property
    def prompt_tokens(self) -> int:
        return tokens_of("".join((*(turn.text for turn in self.history), self.question)))


def _asker_of(actor: Actor, asker: Asker) -> Asker:
    """Return who asks: what the key says of them comes before what is said of everybody."""
    groups = asker.groups if actor.groups is None else actor.groups
    if actor.groups is not None and asker.groups is not None:
        groups = actor.groups & asker.groups
    return Asker(department=actor.department or asker.department, groups=groups)


def _refusal(body: CompletionRequest, model_name: str) -> JSONResponse | None:
    if body.n not in (None, 1):
        return refuse(f"n={body.n}: the bot gives one answer; leave n out or set it to 1.", param="n")
    if body.model not in (None, "", model_name):
        return _unknown_model(body.model or "", model_name)
    return None


def _unknown_model(model: str, model_name: str) -> JSONResponse:
    message = f"The model {model!r} does not exist; use {model_name!r}."
    problem = Problem(message=message, type="invalid_request_error", param="model", code="model_not_found")
    return respond(404, problem)


def _asked(body: CompletionRequest, asker: Asker) -> _Asked:
    """Read the question and its history from the messages.

    System messages are read past: the bot has its own instructions, and what a client adds to them is not a question.

    Raises:
        InvalidInput: the last message is not the user's, or holds something other than text.
    """
    turns = [
        Turn(role="user" if message.role == "user" else "assistant", text=_text_of(message, f"messages[{index}]"))
        for index, message in enumerate(body.messages)
        if message.role in ("user", "assistant")
    ]
    if not turns or turns[-1].role != "user" or body.messages[-1].role != "user":
        raise InvalidInput("The last message must be the user's: it is the question.", field="messages")
    history = tuple(
        Turn(role=turn.role, text=without_footer(turn.text)) if turn.role == "assistant" else turn
        for turn in turns[:-1]
    )
    extra = body.golden
    return _Asked(
        question=turns[-1].text,
        history=history,
        asker=Asker(department=extra.department, groups=asker.groups) if extra and extra.department else asker,
        picks=tuple(
            SensePick(
                term=pick.term,
                extended_name=pick.extended_name,
                context=pick.context,
                kept=pick.kept,
                decision=pick.decision,
            )
            for pick in (extra.picks if extra else ())
        ),
    )


def _text_of(message: Message, place: str) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    others = {part.type for part in message.content} - {"text", "input_text", "output_text", "refusal"}
    if others:
        raise InvalidInput(
            f"{place}: a part of type {', '.join(sorted(others))} cannot be read; send text only.",
            field=f"{place}.content",
        )
    return "\n".join(part.text for part in message.content)


async def _whole(serving: Serving, asked: _Asked, request: Request) -> Response:
    work = asyncio.create_task(
        serving.chatbot.ask(asked.question, history=asked.history, asker=asked.asker, picks=asked.picks)
    )
    try:
        while not (await asyncio.wait({work}, timeout=_DISCONNECT_POLL_S))[0]:
            if await request.is_disconnected():
                # Nobody reads this; the status is what access logs of others call it.
                return Response(status_code=499)
        answer = work.result()
    finally:
        work.cancel()
        await asyncio.wait({work})
    return JSONResponse(_completion(serving.model_name, answer, asked.prompt_tokens).model_dump())


def _completion(model_name: str, answer: Answer, prompt_tokens: int) -> Completion:
    message = AnswerMessage(content="".join(pieces_of(answer)), golden=golden_answer(answer))
    return Completion(
        id=_completion_id(),
        created=int(time.time()),
        model=model_name,
        choices=[Choice(message=message)],
        usage=usage_of(prompt_tokens, answer),
    )


def _stream(serving: Serving, body: CompletionRequest, asked: _Asked, request: Request) -> StreamingResponse:
    # What is wrong with the question is raised here, while the status can still say so.
    events = serving.chatbot.stream(asked.question, history=asked.history, asker=asked.asker, picks=asked.picks)
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    writer = ChunkWriter(_completion_id(), int(time.time()), serving.model_name, with_usage=with_usage)
    chunks = stream_completion(
        events,
        writer,
        request_id=request_id_of(request),
        prompt_tokens=asked.prompt_tokens,
        with_usage=with_usage,
        keep_alive_s=serving.keep_alive_s,
    )
    # Proxies that buffer would hold the steps back until the answer is there.
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no"}
    return StreamingResponse(chunks, media_type="text/event-stream", headers=headers)


def _completion_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"
