"""A stream of items with a sign of life wherever none comes for a while."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def with_pauses(items: AsyncGenerator[T, None], pause_s: float) -> AsyncGenerator[T | None, None]:
    """Yield the items as they come, and None whenever none came for ``pause_s``; closing stops the work behind them."""
    queue: asyncio.Queue[T | None] = asyncio.Queue()

    async def read() -> None:
        # One task for the whole work: a generator resumed from several tasks would lose its context variables.
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
