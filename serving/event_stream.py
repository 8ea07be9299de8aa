"""Server-sent events: the progress of an answer, with keep-alive messages during pauses."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

from agent.phases import phase_of
from contracts.answer import AnswerEvent, Citation, StepFinished, StepStarted, TextDelta, TextReset

MEDIA_TYPE = "text/event-stream"
# Otherwise, buffering proxies would withhold the steps until the answer is complete.
HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
DONE = "data: [DONE]\n\n"
T = TypeVar("T")


def event_of(values: object) -> str:
    """Write ``values`` as one server-sent event."""
    # In ASCII: a lone surrogate cannot be written as UTF-8.
    return f"data: {json.dumps(values)}\n\n"


def progress_of(event: AnswerEvent | None) -> dict[str, Any]:
    """Return the ``golden`` field for a progress event; it is empty at the end, and for other events.

    ``draft`` is the text that is being written; it has not been checked yet. ``draft_withdrawn`` is the reason why the
    draft so far was withdrawn.
    """
    match event:
        case StepStarted(node=node):
            phase = phase_of(node)
            return {"started": node, **({"phase": phase} if phase else {})}
        case StepFinished(step=step):
            return {"step": step.model_dump(mode="json")}
        case TextDelta(text=text):
            return {"draft": text}
        case TextReset(reason=reason):
            return {"draft_withdrawn": reason}
    return {}


def without_passage(citation: Citation) -> Citation:
    """Return a citation without the text around its quote."""
    return citation.model_copy(update={"passage_text": "", "quote_spans": ()})


async def with_pauses(items: AsyncGenerator[T, None], pause_s: float) -> AsyncGenerator[T | None, None]:
    """Yield the items as they arrive, and None whenever none arrives for ``pause_s``; closing stops the work."""
    queue: asyncio.Queue[T | None] = asyncio.Queue()

    async def read() -> None:
        # One task does all the work: a generator resumed from several tasks would lose its context variables.
        try:
            async with aclosing(items):
                async for item in items:
                    queue.put_nowait(item)
        finally:
            queue.put_nowait(None)

    work = asyncio.create_task(read())
    try:
        while True:
            try:
                async with asyncio.timeout(pause_s):
                    item = await queue.get()
            except TimeoutError:
                yield None
                continue
            if item is None:
                break
            yield item
        await work
    finally:
        work.cancel()
        await asyncio.wait({work})
