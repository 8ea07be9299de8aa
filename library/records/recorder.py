"""A recorder that keeps turns without holding answers up: one writer behind a bounded queue."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from contracts.errors import Unavailable
from contracts.records import TurnRecord

_LOG = logging.getLogger(__name__)
_TURNS_AT_ONCE = 100


class TurnKeeper(Protocol):
    """Keeps turns. Blocking."""

    def add(self, given: Sequence[TurnRecord]) -> int:
        """Keep turns, all or none.

        Raises:
            Unavailable: not just now.
        """
        ...


class QueuedTurnRecorder:
    """Writes turns in a thread of its own, several in one transaction where several wait.

    An answer waits for its turn at most ``patience_s``: mostly it is written by then, so that a process which is killed
    after an answer has lost none of it. A database that is locked or away holds nothing else up: its turns wait, at
    most ``most_waiting``, and are tried again after each of ``retries_s``.
    """

    def __init__(
        self,
        keeper: TurnKeeper,
        *,
        patience_s: float = 0.25,
        most_waiting: int = 1_000,
        retries_s: Sequence[float] = (1.0, 5.0, 30.0),
    ) -> None:
        self._keeper = keeper
        self._patience_s = patience_s
        self._most_waiting = most_waiting
        self._retries_s = tuple(retries_s)
        self._waiting: list[tuple[TurnRecord, asyncio.Future[bool]]] = []
        self._unwritten: dict[str, TurnRecord] = {}
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="golden-records")

    async def record(self, turn: TurnRecord) -> bool:
        """Keep a turn; return False where it cannot be kept, True where it is, or still waits for its turn."""
        if len(self._waiting) >= self._most_waiting:
            _LOG.warning("%d turns wait to be recorded: one more is not kept", len(self._waiting))
            return False
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, written))
        self._unwritten[turn.id] = turn
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.wait({written}, timeout=self._patience_s)
        return written.result() if written.done() else True

    def unwritten(self, account: str, conversation_id: str) -> tuple[TurnRecord, ...]:
        """Return the turns of a conversation that are not written yet, oldest first."""
        return tuple(
            turn
            for turn in self._unwritten.values()
            if (turn.asker.account, turn.conversation_id) == (account, conversation_id)
        )

    async def close(self, *, timeout_s: float = 5.0) -> None:
        """Write what waits, for so long at most."""
        if self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing}, timeout=timeout_s)
            if not self._writing.done():
                _LOG.warning("the database did not take %d turns before the end", len(self._waiting) or 1)
                self._writing.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _write(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:_TURNS_AT_ONCE], self._waiting[_TURNS_AT_ONCE:]
            kept = await self._written([turn for turn, _ in some])
            for (turn, written), one in zip(some, kept, strict=True):
                self._unwritten.pop(turn.id)
                if not written.done():
                    written.set_result(one)

    async def _written(self, turns: list[TurnRecord]) -> list[bool]:
        try:
            return [await self._added(turns)] * len(turns)
        except Exception as error:
            if len(turns) > 1:
                # One of them is to blame.
                return [kept for turn in turns for kept in await self._written([turn])]
            # The values of a failed statement are a person's words: they stay out of the log.
            _LOG.error("a turn cannot be recorded: %s", type(error).__name__)
            return [False]

    async def _added(self, turns: list[TurnRecord]) -> bool:
        loop = asyncio.get_running_loop()
        for pause_s in (*self._retries_s, None):
            try:
                await loop.run_in_executor(self._thread, self._keeper.add, turns)
                return True
            except Unavailable as error:
                if pause_s is None:
                    break
                _LOG.warning("%d turns wait to be recorded: %s", len(turns), error)
                await asyncio.sleep(pause_s)
        _LOG.error("%d turns are not recorded: the database did not answer", len(turns))
        return False
