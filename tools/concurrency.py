"""Concurrent calls, a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Answered = TypeVar("Answered")


async def run_concurrently(calls: Sequence[Callable[[], Awaitable[Answered]]], at_once: int) -> tuple[Answered, ...]:
    """Return what each of ``calls`` returns, in their order; ``at_once`` of them run at the same time, at least one.

    If one fails or the caller is cancelled, the others are stopped before the error is raised; those that have not
    begun never start.
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
