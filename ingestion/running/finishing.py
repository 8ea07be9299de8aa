"""Work that is seen through to its end, even when the one who waits for it is called off."""

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

_Result = TypeVar("_Result")


async def finish(work: Coroutine[Any, Any, _Result] | Awaitable[_Result]) -> _Result:
    """Await ``work`` to its end, even when the one who waits is cancelled: nothing is left half done or untold."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
        raise
