"""What comes one by one, given out several at a time, with a sign of life wherever nothing comes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def with_pauses(items: AsyncGenerator[T, None], pause_s: float) -> AsyncGenerator[T | None, None]:
    """Yield the items as they come, and None whenever none came for ``pause_s``; closing stops the work behind them."""
    async with aclosing(gathered(items, pause_s)) as heard:
        async for some in heard:
            for item in some or (None,):
                yield item


async def gathered(items: AsyncGenerator[T, None], pause_s: float) -> AsyncGenerator[Sequence[T], None]:
    """Yield the items as they come, those together that came in one turn of the loop, and none after each pause.

    Closing stops the work behind the items.
    """
    waiting: list[T] = []
    news, ended = asyncio.Event(), False
    quiet = _Quiet(pause_s, news.set)

    async def pump() -> None:
        # One task for the whole work: a generator resumed from several tasks would lose its context variables.
        nonlocal ended
        try:
            async with aclosing(items):
                async for item in items:
                    waiting.append(item)
                    news.set()
        finally:
            ended = True
            news.set()

    work = asyncio.create_task(pump())
    try:
        while True:
            await news.wait()
            news.clear()
            some, waiting = waiting, []
            if some or not ended:
                yield some
                quiet.break_()
            if ended and not waiting:
                break
        await work
    finally:
        quiet.close()
        work.cancel()
        await asyncio.wait({work})


class _Quiet:
    """Calls ``tell`` whenever it was quiet for ``pause_s``, with one timer: one for each item would cost more than it.

    While it was told and nobody took it (a client that does not read), it goes on telling no further.
    """

    def __init__(self, pause_s: float, tell: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pause_s = pause_s
        self._tell = tell
        self._since = self._loop.time()
        self._told = False
        self._timer = self._loop.call_at(self._since + pause_s, self._look)

    def break_(self) -> None:
        """Take note that something was given out just now."""
        self._since, self._told = self._loop.time(), False

    def close(self) -> None:
        """Tell nothing any more."""
        self._timer.cancel()

    def _look(self) -> None:
        if not self._told and self._loop.time() >= self._since + self._pause_s:
            self._told = True
            self._tell()
        due = self._loop.time() + self._pause_s if self._told else self._since + self._pause_s
        self._timer = self._loop.call_at(due, self._look)
