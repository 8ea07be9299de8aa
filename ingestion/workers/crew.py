"""A crew: worker processes that do one task each at a time, may die at it, and are replaced."""

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ingestion.workers.pool import HearPages


class WorkerLost(Exception):
    """A worker process died at its task."""


class WorkerLate(Exception):
    """A worker process did not finish its task in time, and was ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A task (of ``tasks``) on a file; those of an earlier ``order`` go first, and one order is one reading.

    ``opens_file`` says that the task needs the file itself, not only its name; ``hear`` is told how many pages the
    worker has read, where that is known before the task is done.
    """

    order: int
    file: Path
    task: Callable[..., Any]
    arguments: tuple[Any, ...]
    most_s: float
    opens_file: bool = True
    hear: HearPages | None = None


class Crew(Protocol):
    """Does errands in worker processes, one each at a time."""

    @property
    def size(self) -> int:
        """How many errands can be done at once."""
        ...

    async def do(self, errand: Errand) -> Any:
        """Do an errand when a worker is idle, and return what its task returns. Cancelled, it ends its worker.

        Raises:
            WorkerLost: the worker died at it.
            WorkerLate: it was not done within ``most_s`` seconds, and its worker was ended.
        """
        ...

    def close(self) -> None:
        """End the workers, those at work among them. Blocking."""
        ...


class Turns:
    """Hands idle workers (by number) to who waits for one: the earliest order first.

    Who asks gets the worker that served the same order last, where that one is idle: it has the file open.
    """

    def __init__(self, idle: list[int]) -> None:
        self._idle = idle
        self._served: dict[int, int] = {}
        self._waiting: list[tuple[int, int, asyncio.Future[int]]] = []
        self._asked = 0

    @property
    def are_waited_for(self) -> bool:
        """Whether somebody waits for a worker."""
        return any(not coming.done() for _, _, coming in self._waiting)

    async def take(self, order: int) -> int:
        """Wait for a worker, and take it."""
        if self._idle:
            worker = next((each for each in self._idle if self._served.get(each) == order), self._idle[0])
            self._idle.remove(worker)
        else:
            coming: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            self._asked += 1
            heapq.heappush(self._waiting, (order, self._asked, coming))
            try:
                worker = await coming
            except asyncio.CancelledError:
                if coming.done() and not coming.cancelled():
                    self.give(coming.result())
                raise
        self._served[worker] = order
        return worker

    def give(self, worker: int) -> None:
        """Give a worker back."""
        while self._waiting:
            _, _, coming = heapq.heappop(self._waiting)
            if not coming.done():
                coming.set_result(worker)
                return
        self._idle.append(worker)
