"""Work that runs to its end, even if the waiting caller is cancelled."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def finish(work: Awaitable[_Result]) -> _Result:
    """Await ``work`` until it ends, even if the caller is cancelled repeatedly, so that nothing is left half-done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            # Retrieve the error: otherwise asyncio would log it, because nobody awaits the task.
            task.exception()
        raise
