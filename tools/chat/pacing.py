"""Pacing: the pieces of a stream are read and handed on a few times a second, however many streams there are."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

# Each piece that is handed on costs the judgements, the graph, the server and the reader's screen some work. So many a
# second a process hands on for less than a tenth of its core; a few streams together do not come to as many.
_PIECES_A_SECOND = 96.0
_FREE_STREAMS = 4
# What a reader still sees as text that is being written: three times a second.
_MOST_S = 1 / 3


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

    async def paced(
        self, parts: AsyncGenerator[Sequence[str], None], ended: asyncio.Event | None
    ) -> AsyncGenerator[str, None]:
        """Yield the texts of ``parts``, each of which is what has come since the one before.

        Of a few streams each text comes as it is. Of many those of a part come joined, and the next part is not asked
        for before its time, or ``ended``, which is set when everything has come (None: nobody would say so, and nothing
        waits). What ``parts`` raises is raised behind the texts before. Closing it closes them.
        """
        self._streams += 1
        try:
            async with aclosing(parts):
                async for texts in parts:
                    for text in ["".join(texts)] if self.interval_s else texts:
                        if text:
                            yield text
                    if ended is not None and any(texts):
                        await self._rest(ended)
        finally:
            self._streams -= 1

    async def _rest(self, ended: asyncio.Event) -> None:
        """Wait as long as the pace says."""
        loop = asyncio.get_running_loop()
        given = loop.time()
        # Asked again: others may have begun or ended since.
        while not ended.is_set() and (wait_s := given + self.interval_s - loop.time()) > 0:
            try:
                async with asyncio.timeout(wait_s):
                    await ended.wait()
            except TimeoutError:
                continue
