"""Chat completions: an OpenAI request becomes a question, and its answer becomes a completion, whole or as a stream.

A stream cannot take words back, and a draft is only checked once it is complete. So ``content`` contains only the
checked, final text with its markers, sentence by sentence: what a client has shown at the end is the answer.
Before that, chunks with empty content report progress in ``golden``: steps, and the unchecked draft for clients that
know how to replace it. If nothing happens for a while, an empty chunk keeps the connection open.
"""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel

from agent.chatbot import final_answer
from contracts.answer import Answer, AnswerEvent, AnswerReady
from serving.chat import ChatService, Question, ServedModel, asker_of
from serving.event_stream import DONE, HEADERS, MEDIA_TYPE, event_of, progress_of, with_pauses, without_passage
from serving.problems import ProblemBody, problem_of, request_id_of
from serving.questions import question_in
from serving.replies import citing_fields, cut_answer, pieces_of, usage_of
from serving.routing import guarded_router
from serving.tasks import answer_task, find_task
from serving.wire import (
    AnswerMessage,
    Choice,
    Completion,
    CompletionRequest,
    FinishReason,
    GoldenTask,
    Model,
    ModelList,
    Usage,
)

PREFIX = "/v1"
_DISCONNECT_POLL_S = 0.5
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, as server-sent events, the last of which is `data: [DONE]`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def completion_routes(chat: ChatService, *, keep_alive_s: float = 10.0) -> APIRouter:
    """Return the OpenAI-compatible routes under ``/v1``.

    If nothing happens in a stream for ``keep_alive_s``, it sends an empty chunk.
    """
    router = guarded_router(PREFIX, "openai", "ask")
    started = int(time.time())

    @router.post("/chat/completions", response_model=Completion, responses=_STREAMED)
    async def complete(body: CompletionRequest, request: Request) -> Response:
        """Answer the last user message; the earlier ones are its history."""
        asker = asker_of(request.state.actor)
        question = question_in(body, request.headers, asker, await chat.model(body.model or "", asker))
        exchange = _Exchange(chat=chat, body=body, question=question)
        task = find_task(body.messages)
        if task is not None:
            return exchange.task_response(await answer_task(task, question.asker, chat.suggester), task.kind)
        # Errors in the question are raised here, while the status code can still report them.
        events = await chat.stream(question)
        if not body.stream:
            return await exchange.whole(events, request)
        chunks = exchange.chunks(events, request_id_of(request), keep_alive_s)
        return StreamingResponse(chunks, media_type=MEDIA_TYPE, headers=HEADERS)

    @router.get("/models")
    async def models(request: Request) -> ModelList:
        """List the models: the bot, and one for each document group that the caller may read."""
        found = await chat.models(asker_of(request.state.actor).groups)
        return ModelList(data=[_listed(each, started) for each in found])

    @router.get("/models/{model:path}")
    async def model(model: str, request: Request) -> Model:
        """Describe a model."""
        return _listed(await chat.model(model or "/", asker_of(request.state.actor)), started)

    return router


def _listed(model: ServedModel, started: int) -> Model:
    return Model(id=model.id, created=started, name=model.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """What a client gets: the content in pieces, and the other fields by name."""

    pieces: Sequence[str]
    fields: Mapping[str, Any]
    finish_reason: FinishReason = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """One request with a question, and its response."""

    chat: ChatService
    body: CompletionRequest
    question: Question

    async def whole(self, events: AsyncGenerator[AnswerEvent, None], request: Request) -> Response:
        work = asyncio.create_task(final_answer(events))
        try:
            while not (await asyncio.wait({work}, timeout=_DISCONNECT_POLL_S))[0]:
                if await request.is_disconnected():
                    # Nobody reads this response; other servers log the same status code in this case.
                    return Response(status_code=499)
            reply = self._reply(work.result())
        finally:
            work.cancel()
            await asyncio.wait({work})
        return self._body(reply)

    def task_response(self, text: str, task: str) -> Response:
        reply = _Reply(pieces=[text], fields={"golden": GoldenTask(task=task)})
        if not self.body.stream:
            return self._body(reply)
        head = self._head("chat.completion.chunk")
        return Response(self._beginning(head) + self._end(head, reply), media_type=MEDIA_TYPE, headers=HEADERS)

    async def chunks(
        self, events: AsyncGenerator[AnswerEvent, None], request_id: str, keep_alive_s: float
    ) -> AsyncIterator[str]:
        """Yield the answer as server-sent events; an error becomes the last event."""
        golden, head = self.body.extension, self._head("chat.completion.chunk")
        yield self._beginning(head)
        done = False
        try:
            async with aclosing(with_pauses(events, keep_alive_s)) as heard:
                async for event in heard:
                    if isinstance(event, AnswerReady):
                        reply = self._reply(event.answer)
                        done = True
                        yield self._end(head, reply)
                    elif golden.progress or event is None:
                        fields = progress_of(event)
                        if golden.passage_count and fields.get("started") == "retrieve":
                            fields["passage_count"] = await self.chat.count_passages(self.question.asker)
                        yield self._chunk(head, {"content": ""}, {"golden": fields} if fields else {})
        except Exception as error:
            if done:
                # The client has the whole answer: later errors are only logged.
                raise
            _, problem = problem_of(error, request_id)
            yield event_of(ProblemBody(error=problem).values()) + DONE
            done = True
        if not done:
            yield DONE

    def _reply(self, answer: Answer) -> _Reply:
        footer = self.body.extension.footer
        answer, below, reason = cut_answer(
            answer,
            stops=self.body.stop,
            most_tokens=self.body.most_tokens,
            footer=self.chat.footer if footer is None else footer,
        )
        fields: dict[str, Any] = citing_fields(answer, self.chat.citation_url)
        citations, closest = (tuple(map(without_passage, those)) for those in (answer.citations, answer.closest))
        fields["golden"] = answer.model_copy(update={"citations": citations, "closest": closest})
        return _Reply(pieces=pieces_of(answer, below), fields=fields, finish_reason=reason)

    def _body(self, reply: _Reply) -> Response:
        message = AnswerMessage(content="".join(reply.pieces), **reply.fields)
        completion = Completion(
            **self._head("chat.completion"),
            choices=[Choice(message=message, finish_reason=reply.finish_reason)],
            usage=self._usage(reply),
            citations=message.citations,
            sources=message.sources,
        )
        return JSONResponse(completion.model_dump(by_alias=True))

    def _beginning(self, head: Mapping[str, Any]) -> str:
        return self._chunk(head, {"role": "assistant", "content": ""})

    def _end(self, head: Mapping[str, Any], reply: _Reply) -> str:
        """Write the content, the chunk that finishes it, and the usage if requested.

        The fields are next to the choice, so clients that concatenate deltas do not see them.
        """
        extension = {name: _plain(value) for name, value in reply.fields.items()}
        chunks = [self._chunk(head, {"content": piece}) for piece in reply.pieces]
        chunks.append(self._chunk(head, {}, extension, reply.finish_reason))
        if self._with_usage:
            chunks.append(event_of({**head, "choices": [], "usage": self._usage(reply).model_dump()}))
        return "".join([*chunks, DONE])

    def _chunk(
        self,
        head: Mapping[str, Any],
        delta: Mapping[str, str],
        fields: Mapping[str, Any] = MappingProxyType({}),
        reason: FinishReason | None = None,
    ) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        usage = {"usage": None} if self._with_usage else {}
        return event_of({**head, "choices": [choice], **usage, **fields})

    def _head(self, kind: str) -> dict[str, Any]:
        model = self.question.model.id
        return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": model}

    def _usage(self, reply: _Reply) -> Usage:
        asked = "".join((*(turn.text for turn in self.question.history), self.question.text))
        return usage_of(asked, "".join(reply.pieces))

    @property
    def _with_usage(self) -> bool:
        return bool(self.body.stream_options and self.body.stream_options.include_usage)


def _plain(value: object) -> object:
    return value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value
