"""Work that is seen through to its end, even when the one who waits for it is called off."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def finish(work: Awaitable[_Result]) -> _Result:
    """Await ``work`` to its end, however often the one who waits is cancelled: nothing is left half done or untold."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            # Looked at: an error of work that nobody waits for any more would be logged as forgotten.
            task.exception()
        raise
