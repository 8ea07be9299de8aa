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

from contracts.answer import AnswerEvent, AnswerReady, StepStarted, TextDelta
from serving.cutting import FinishReason
from serving.extension import golden_progress
from serving.finishing import Finish, Finisher
from serving.gathering import gathered
from serving.problems import problem_of
from serving.wire import ProblemBody, Usage

DONE = "data: [DONE]\n\n"
_EMPTY = '"delta": {"content": ""}, "logprobs": null, "finish_reason": null}]'


class ChunkWriter:
    """Writes the chunks of one completion, each as one server-sent event.

    A language model's every token passes here, for every client at once: what all chunks share is written once.
    """

    def __init__(
        self, completion_id: str, created: int, model: str, *, with_usage: bool, passages: bool = False
    ) -> None:
        self._passages = passages
        self._head = (
            f'data: {{"id": {json.dumps(completion_id)}, "object": "chat.completion.chunk", "created": {created}, '
            f'"model": {json.dumps(model, ensure_ascii=False)}, "choices": '
        )
        self._usage = ', "usage": null' if with_usage else ""
        self._empty = f'{self._head}[{{"index": 0, {_EMPTY}{self._usage}'

    def begin(self) -> str:
        """Write the first chunk: whose message follows."""
        return self._choice('{"role": "assistant", "content": ""}')

    def text(self, text: str) -> str:
        """Write more content."""
        return self._choice(f'{{"content": {_json(text)}}}')

    def progress(self, event: AnswerEvent | None) -> str:
        """Write no content: a chunk that tells of ``event``, where it says something, and keeps the client waiting."""
        match event:
            case TextDelta(text=text):
                golden = f'{{"draft": {_json(text)}}}'
            case StepStarted(node=node):
                golden = f'{{"started": {_json(node)}}}'
            case _:
                told = golden_progress(event, passages=self._passages) if event is not None else None
                golden = told.model_dump_json(exclude_unset=True) if told is not None else ""
        return f'{self._empty}, "golden": {golden}}}\n\n' if golden else f"{self._empty}}}\n\n"

    def end(self, reason: FinishReason, fields: Mapping[str, Any]) -> str:
        """Write the chunk that finishes the choice, with ``fields`` beside it: clients that add deltas up see none."""
        return self._choice("{}", reason=f'"{reason}"', fields=_json(fields)[1:-1])

    def usage(self, usage: Usage) -> str:
        """Write the last chunk of a client that asked for usage."""
        return f'{self._head}[], "usage": {usage.model_dump_json()}}}\n\n'

    def _choice(self, delta: str, *, reason: str = "null", fields: str = "") -> str:
        more = f", {fields}" if fields else ""
        return (
            f'{self._head}[{{"index": 0, "delta": {delta}, "logprobs": null, "finish_reason": {reason}}}]'
            f"{self._usage}{more}}}\n\n"
        )


def _json(value: object) -> str:
    # A lone surrogate cannot be written as UTF-8.
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() or _is_utf8(text) else json.dumps(value)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def event_of(values: object) -> str:
    """Write ``values`` as one server-sent event."""
    return f"data: {_json(values)}\n\n"


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
    said: list[str] = []
    done = False
    try:
        async with aclosing(gathered(events, keep_alive_s)) as heard:
            async for some in heard:
                for event in some or (None,):
                    if isinstance(event, AnswerReady):
                        said += _finished(writer, await finisher.finish(event.answer), with_usage=with_usage)
                        said.append(DONE)
                        done = True
                    elif progress or event is None:
                        said.append(writer.progress(event))
                if said:
                    # A write to the socket is the dearest part of a piece's way: what is there goes in one.
                    yield "".join(said)
                    said = []
    except Exception as error:
        if done:
            # Its client has the whole answer: what breaks behind it is for the log.
            raise
        _, problem = problem_of(error, request_id)
        said.append(event_of(ProblemBody(error=problem).model_dump()))
    if not done:
        yield "".join([*said, DONE])


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
