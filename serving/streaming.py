"""Streaming: a chat completion as server-sent events.

The wire cannot take words back, and a draft is checked only when it is whole. So ``content`` carries nothing but the
checked text with its markers, sentence by sentence, once it is final: what a client has shown at the end is the answer.
On the way there, chunks with empty content carry progress in ``golden``: steps, and the unchecked draft for clients
that know how to replace it. Where nothing happens for a while, an empty chunk keeps the connection open.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from contracts.answer import AnswerEvent, AnswerReady
from serving.cutting import FinishReason
from serving.extension import golden_progress
from serving.finishing import Finish, Finisher
from serving.pauses import with_pauses
from serving.problems import problem_of
from serving.wire import ProblemBody, Usage

DONE = "data: [DONE]\n\n"
_NO_FIELDS: Mapping[str, Any] = {}


class ChunkWriter:
    """Writes the chunks of one completion, each as one server-sent event."""

    def __init__(
        self, completion_id: str, created: int, model: str, *, with_usage: bool, passages: bool = False
    ) -> None:
        self._passages = passages
        self._head = {"id": completion_id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._usage = {"usage": None} if with_usage else {}

    def begin(self) -> str:
        """Write the first chunk: whose message follows."""
        return self._choice({"role": "assistant", "content": ""})

    def text(self, text: str) -> str:
        """Write more content."""
        return self._choice({"content": text})

    def progress(self, event: AnswerEvent | None) -> str:
        """Write no content: a chunk that tells of ``event``, where it says something, and keeps the client waiting."""
        told = golden_progress(event, passages=self._passages) if event is not None else None
        golden = {"golden": told.model_dump(mode="json", exclude_unset=True)} if told is not None else {}
        return self._choice({"content": ""}, fields=golden)

    def end(self, reason: FinishReason, fields: Mapping[str, Any]) -> str:
        """Write the chunk that finishes the choice, with ``fields`` beside it: clients that add deltas up see none."""
        return self._choice({}, reason=reason, fields=fields)

    def usage(self, usage: Usage) -> str:
        """Write the last chunk of a client that asked for usage."""
        return event_of({**self._head, "choices": [], "usage": usage.model_dump(mode="json")})

    def _choice(
        self, delta: Mapping[str, str], *, reason: FinishReason | None = None, fields: Mapping[str, Any] = _NO_FIELDS
    ) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event_of({**self._head, "choices": [choice], **self._usage, **fields})


def event_of(values: object) -> str:
    """Write ``values`` as one server-sent event."""
    text = json.dumps(values, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # A lone surrogate cannot be written as UTF-8.
        text = json.dumps(values)
    return f"data: {text}\n\n"


async def stream_completion(
    events: AsyncGenerator[AnswerEvent, None],
    writer: ChunkWriter,
    finisher: Finisher,
    *,
    request_id: str,
    progress: bool,
    with_usage: bool,
    keep_alive_s: float,
) -> AsyncIterator[str]:
    """Yield the server-sent events of a completion; an error on the way becomes an error event, the last one."""
    yield writer.begin()
    done = False
    try:
        async with aclosing(with_pauses(events, keep_alive_s)) as heard:
            async for event in heard:
                if isinstance(event, AnswerReady):
                    finish = await finisher.finish(event.answer)
                    done = True
                    yield "".join([*_finished(writer, finish, with_usage=with_usage), DONE])
                elif progress or event is None:
                    yield writer.progress(event)
    except Exception as error:
        if done:
            # The client has the whole answer: what breaks after it is for the log.
            raise
        _, problem = problem_of(error, request_id)
        yield event_of(ProblemBody(error=problem).model_dump()) + DONE
        done = True
    if not done:
        yield DONE


def stream_text(writer: ChunkWriter, text: str, fields: Mapping[str, Any], usage: Usage | None) -> list[str]:
    """Return the server-sent events of a completion whose text is there already."""
    chunks = [writer.begin(), writer.text(text), writer.end("stop", fields)]
    return [*chunks, *([writer.usage(usage)] if usage else []), DONE]


def _finished(writer: ChunkWriter, finish: Finish, *, with_usage: bool) -> list[str]:
    chunks = [writer.text(piece) for piece in finish.cut.pieces()]
    chunks.append(writer.end(finish.cut.finish_reason, finish.fields))
    if with_usage:
        chunks.append(writer.usage(finish.usage))
    return chunks
