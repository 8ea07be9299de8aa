"""Streaming: a chat completion as server-sent events.

The wire cannot take words back, and a draft is checked only when it is whole. So ``content`` carries nothing but the
checked text with its markers, sentence by sentence, once it is final: what a client has shown at the end is the answer.
On the way there, chunks with empty content carry progress in ``golden``: steps, and the unchecked draft for clients
that know how to replace it. Where nothing happens for a while, an empty chunk keeps the connection open.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TypeVar

from contracts.answer import Answer, AnswerEvent, AnswerReady
from serving.extension import golden_answer, golden_progress
from serving.extension_wire import GoldenAnswer, GoldenProgress
from serving.footer import footer_of
from serving.problems import problem_of
from serving.wire import Chunk, ChunkChoice, Delta, ProblemBody, Usage
from tools.language import split_sentences

T = TypeVar("T")


class _End:
    """No item follows."""


DONE = "data: [DONE]\n\n"


class ChunkWriter:
    """Writes the chunks of one completion, each as one server-sent event."""

    def __init__(self, completion_id: str, created: int, model: str, *, with_usage: bool) -> None:
        self._id = completion_id
        self._created = created
        self._model = model
        self._with_usage = with_usage

    def text(self, text: str, *, golden: GoldenProgress | None = None, role: bool = False) -> str:
        """Write more content, or none."""
        delta = Delta(role="assistant", content=text) if role else Delta(content=text)
        return self._event([ChunkChoice(delta=delta)], golden=golden)

    def end(self, golden: GoldenAnswer) -> str:
        """Write the chunk that finishes the choice."""
        return self._event([ChunkChoice(delta=Delta(), finish_reason="stop")], golden=golden)

    def usage(self, usage: Usage) -> str:
        """Write the last chunk of a client that asked for usage."""
        return self._event([], usage=usage)

    def _event(
        self,
        choices: list[ChunkChoice],
        *,
        golden: GoldenProgress | GoldenAnswer | None = None,
        usage: Usage | None = None,
    ) -> str:
        chunk = Chunk(id=self._id, created=self._created, model=self._model, choices=choices, usage=usage)
        values = chunk.model_dump(exclude_none=True, exclude={"golden"})
        if golden is not None:
            values["golden"] = golden.model_dump(exclude_none=isinstance(golden, GoldenProgress))
        for choice in values["choices"]:
            # OpenAI sends null here, and clients look for the key.
            choice.setdefault("finish_reason", None)
        if self._with_usage:
            values.setdefault("usage", None)
        return event_of(values)


def event_of(values: object) -> str:
    """Write ``values`` as one server-sent event."""
    return f"data: {json.dumps(values, ensure_ascii=False)}\n\n"


async def stream_completion(
    events: AsyncGenerator[AnswerEvent, None],
    writer: ChunkWriter,
    *,
    request_id: str,
    prompt_tokens: int,
    with_usage: bool,
    keep_alive_s: float,
) -> AsyncIterator[str]:
    """Yield the server-sent events of a completion; an error on the way becomes an error event, the last one."""
    yield writer.text("", role=True)
    try:
        async with aclosing(with_pauses(events, keep_alive_s)) as heard:
            async for event in heard:
                if isinstance(event, AnswerReady):
                    for piece in pieces_of(event.answer):
                        yield writer.text(piece)
                    yield writer.end(golden_answer(event.answer))
                    if with_usage:
                        yield writer.usage(usage_of(prompt_tokens, event.answer))
                else:
                    yield writer.text("", golden=golden_progress(event) if event is not None else None)
    except Exception as error:
        _, problem = problem_of(error, request_id)
        yield event_of(ProblemBody(error=problem).model_dump())
    yield DONE


def pieces_of(answer: Answer) -> list[str]:
    """Cut the answer's text into its sentences, with the white space before each, and the footer."""
    pieces: list[str] = []
    position = 0
    for span in split_sentences(answer.text):
        pieces.append(answer.text[position : span.end])
        position = span.end
    return [piece for piece in (*pieces, answer.text[position:], footer_of(answer)) if piece]


def usage_of(prompt_tokens: int, answer: Answer) -> Usage:
    """Return the usage of an answer."""
    completion = tokens_of("".join(pieces_of(answer)))
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=completion, total_tokens=prompt_tokens + completion)


def tokens_of(text: str) -> int:
    """Estimate tokens at four characters each."""
    return -(-len(text) // 4)


async def with_pauses(items: AsyncGenerator[T, None], pause_s: float) -> AsyncGenerator[T | None, None]:
    """Yield the items as they come, and None whenever none came for ``pause_s``; closing stops the work behind them."""
    queue: asyncio.Queue[T | _End] = asyncio.Queue()

    async def pump() -> None:
        # One task for the whole work: a generator resumed from several tasks would lose its context variables.
        try:
            async with aclosing(items):
                async for item in items:
                    queue.put_nowait(item)
        finally:
            queue.put_nowait(_End())

    work = asyncio.create_task(pump())
    try:
        while True:
            try:
                async with asyncio.timeout(pause_s):
                    item = await queue.get()
            except TimeoutError:
                yield None
                continue
            if isinstance(item, _End):
                break
            yield item
        await work
    finally:
        work.cancel()
        await asyncio.wait({work})
