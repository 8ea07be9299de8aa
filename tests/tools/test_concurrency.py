"""Calls side by side: a few at a time, in order, and none left behind."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from contracts.errors import ChatUnavailable
from tools.concurrency import run_concurrently


class Work:
    """Counts how many calls run; each ends when ``ending`` is set."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0
        self.ending = asyncio.Event()

    def call(self, value: int, error: Exception | None = None) -> Callable[[], Awaitable[int]]:
        async def run() -> int:
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                await self.ending.wait()
                if error is not None:
                    raise error
                return value
            finally:
                self.running -= 1

        return run


async def test_results_come_in_order_and_few_run_at_once() -> None:
    work = Work()
    running = asyncio.create_task(run_concurrently([work.call(n) for n in range(10)], 3))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert work.running == 3
    work.ending.set()
    assert await running == tuple(range(10))
    assert work.most == 3
    assert await run_concurrently([], 3) == ()
    assert await run_concurrently([work.call(1)], 0) == (1,)


async def test_an_error_ends_the_others_and_is_raised_itself() -> None:
    work, endless = Work(), Work()
    work.ending.set()
    calls = [endless.call(1), work.call(2, ChatUnavailable("Down.")), endless.call(3), endless.call(4)]
    with pytest.raises(ChatUnavailable, match="Down"):
        await run_concurrently(calls, 2)
    assert endless.running == 0
    assert endless.begun <= 2


async def test_a_cancelled_caller_leaves_nothing_running() -> None:
    work = Work()
    running = asyncio.create_task(run_concurrently([work.call(n) for n in range(5)], 2))
    await asyncio.sleep(0.01)
    assert work.running == 2
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (work.running, work.begun) == (0, 2)
