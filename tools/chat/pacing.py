"""Pacing: the pieces of a stream are handed on a few times a second, however many streams there are."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

# Each piece that is handed on costs the judgements, the graph, the server and the reader's screen some work. So many a
# second a process hands on without another question having to wait; a few streams together do not come to as many.
_PIECES_A_SECOND = 250.0
_FREE_STREAMS = 4
# What a reader still sees as text that is being written.
_MOST_S = 0.25


class StreamPace:
    """How often the pieces of each of the streams under way are handed on. For one event loop."""

    def __init__(self, *, pieces_a_second: float = _PIECES_A_SECOND, most_s: float = _MOST_S) -> None:
        self._pieces_a_second = pieces_a_second
        self._most_s = most_s
        self._streams = 0

    @property
    def interval_s(self) -> float:
        """The least time between two pieces of a stream; 0: as they come."""
        return min(self._most_s, self._streams / self._pieces_a_second) if self._streams > _FREE_STREAMS else 0.0

    async def paced(self, pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
        """Yield the text of ``pieces``: the first at once, then joined in the pace of all streams, the end at once.

        What ``pieces`` raises is raised behind the text that came before. Closing it closes them.
        """
        received: list[str] = []
        news = asyncio.Event()
        reading = asyncio.create_task(_read(pieces, received, news))
        loop = asyncio.get_running_loop()
        self._streams += 1
        try:
            while not reading.done():
                await news.wait()
                news.clear()
                while received:
                    yield self._next(received)
                    given = loop.time()
                    # Asked again: others may have begun or ended since.
                    while (wait_s := given + self.interval_s - loop.time()) > 0 and not reading.done():
                        await asyncio.wait({reading}, timeout=wait_s)
            while received:
                yield self._next(received)
            reading.result()
        finally:
            self._streams -= 1
            reading.cancel()
            await asyncio.wait({reading})

    def _next(self, received: list[str]) -> str:
        if not self.interval_s:
            return received.pop(0)
        text = "".join(received)
        received.clear()
        return text


async def _read(pieces: AsyncIterator[str], received: list[str], news: asyncio.Event) -> None:
    try:
        # One task for the whole stream: a generator resumed from several would lose its context variables.
        async with aclosing(cast("AsyncGenerator[str, None]", pieces)) as stream:
            async for piece in stream:
                received.append(piece)
                news.set()
    finally:
        news.set()
