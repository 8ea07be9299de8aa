"""Runs calls concurrently, up to a maximum number at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Answered = TypeVar("Answered")


async def run_concurrently(calls: Sequence[Callable[[], Awaitable[Answered]]], at_once: int) -> tuple[Answered, ...]:
    """Return the results of ``calls``, in order; at most ``at_once`` calls (at least one) run at the same time.

    If a call fails or the caller is cancelled, the running calls are stopped before the error is raised, and the
    remaining calls are not started.
    """
    free = asyncio.Semaphore(max(1, at_once))

    async def run(call: Callable[[], Awaitable[Answered]]) -> Answered:
        async with free:
            return await call()

    tasks = [asyncio.create_task(run(call)) for call in calls]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
