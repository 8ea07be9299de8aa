"""A vector index with a fallback, which is used while the first index opens, is being rebuilt, or fails."""

import asyncio
import logging
from contextlib import suppress

from contracts.errors import Conflict, GoldenError
from contracts.search import Groups, Hit
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, VectorIndex

_log = logging.getLogger(__name__)

_RETRY_FAILED_S = 60.0


class FallbackVectorIndex(VectorIndex):
    """Searches ``primary`` while it is known to match SQL, and otherwise ``fallback``.

    Synchronisation waits only for ``fallback``; ``primary`` follows in the background, and takes over when it is ready.
    While another process owns ``primary``, it is tried again every ``retry_owned_s`` seconds, which is cheap; after any
    other failure, it is tried once a minute, because each attempt may rebuild it.
    """

    def __init__(self, primary: VectorIndex, fallback: VectorIndex, *, retry_owned_s: float = 5.0) -> None:
        self._primary = primary
        self._fallback = fallback
        self._ready = False
        self._wanted = 0
        self._following: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._retry_owned_s = retry_owned_s
        self._retry: asyncio.TimerHandle | None = None
        self._reason = ""

    @property
    def ready(self) -> bool:
        return self._ready

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        if self._ready:
            try:
                return self._primary.find(vector, top_k, groups=groups)
            except GoldenError as error:
                _log.warning("the vector index failed; the exact index is used: %s", error)
                self._follow_again()
        return self._fallback.find(vector, top_k, groups=groups)

    async def fingerprint(self) -> Fingerprint:
        return await (self._primary if self._ready else self._fallback).fingerprint()

    async def synchronise(self) -> None:
        await self._fallback.synchronise()
        self._follow()

    async def settled(self) -> None:
        """Wait until ``primary`` is ready or has failed."""
        if self._following is not None:
            await asyncio.shield(self._following)

    async def close(self) -> None:
        self._ready = False
        await self.settled()
        if self._retry is not None:
            self._retry.cancel()
        await self._primary.close()
        await self._fallback.close()

    def _follow(self) -> None:
        self._ready = False
        self._wanted += 1
        self._loop = asyncio.get_running_loop()
        if self._retry is not None:
            self._retry.cancel()
        if self._following is None or self._following.done():
            self._following = self._loop.create_task(self._bring_up())

    def _follow_again(self) -> None:
        """Synchronise ``primary`` again, called from a thread; do nothing if the event loop has ended."""
        self._ready = False
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._follow)

    async def _bring_up(self) -> None:
        done = -1
        # The library may have changed while this was running.
        while done != self._wanted:
            done = self._wanted
            try:
                await self._primary.synchronise()
            except GoldenError as error:
                if str(error) != self._reason:
                    _log.warning("the vector index is not ready; the exact index is used: %s", error)
                self._reason = str(error)
                delay_s = self._retry_owned_s if isinstance(error, Conflict) else _RETRY_FAILED_S
                self._retry = asyncio.get_running_loop().call_later(delay_s, self._follow)
                return
        self._reason = ""
        self._ready = True
