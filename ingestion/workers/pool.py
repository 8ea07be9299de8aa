"""Reading with workers that may die: small files as a whole, long ones in ranges of pages by all workers at once."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from contracts.errors import UnreadableFile
from ingestion.cancellation import finish
from ingestion.files.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.readers import reads_in_ranges
from ingestion.workers.tasks import PageRange, ReadFile, Refusal, begin_file, join_ranges, read_range
from tools.concurrency import run_concurrently
from tools.ocr import OcrEngine

# Most files have at most this many pages, and are read at once; longer ones are read this many pages at a time.
_AT_ONCE = 4
_MOST_LOST_PAGES = 3
# A worker itself interrupts a page that exceeds the time limit; if it fails to, it is ended a little later.
_GRACE = 1.3
_DIED = "its worker process died while reading it (out of memory, or a crash in a library)"


# Receives how many pages of a file have been read, and the total (None: not known).
HearPages = Callable[[int, int | None], None]


class WorkerLost(Exception):
    """A worker died during its task."""


class WorkerLate(Exception):
    """A worker did not finish its task in time, and was ended."""


class SlowFile(Exception):
    """A file takes too much time while others are waiting."""


class Worker(Protocol):
    """A process, on this machine or another, that does one task at a time."""

    async def ready(self) -> None:
        """Wait until it can be called. Raises ``Unavailable``."""

    async def call(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...]) -> Any:
        """Perform ``task`` with ``file``, which is left out if it is None, and ``arguments``.

        Raises:
            WorkerLost: the worker died.
        """

    def end(self) -> None:
        """End it immediately, even during a task. Blocking."""


class ReaderPool:
    """Reads files with up to ``workers`` workers, each of which ``start`` creates when there is work for it.

    The pages of PDFs and the frames of images are read in ranges, one such file at a time; every other file is read by
    a single worker. If a worker dies or hangs, only the page that caused it is lost: the range is read again page by
    page. A file of any other format is tried twice.
    """

    def __init__(
        self, start: Callable[[], Worker], workers: int, limits: IngestionLimits, ocr: OcrEngine | None
    ) -> None:
        self.workers = workers
        self.limits = limits
        self.ocr = ocr
        # If two long files were read at the same time, workers would keep closing one to open the other.
        self.long_file = asyncio.Lock()
        self._make = start
        # The idle workers, and None for each that may still be started; running workers are taken first.
        self._idle: asyncio.LifoQueue[Worker | None] = asyncio.LifoQueue()
        for _ in range(workers):
            self._idle.put_nowait(None)

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        """Read a file. ``hear`` receives how many pages have been read, and the total (None: not known).

        Raises:
            UnreadableFile: it cannot be read, workers died reading it, or it took longer than the limit.
            SlowFile: it occupied a worker for ``task_s`` seconds without a break, and was not read.
            Unavailable: no worker can be started.
        """
        with ExitStack() as stack:
            # A member of an archive is unpacked once, not in each worker; not cancellable, because a cancelled reading
            # would leave the copy behind.
            file = await finish(asyncio.to_thread(stack.enter_context, local_copy(path, self.limits)))
            return await _Reading(self, path, file, hear, task_s).read()

    async def run(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...], most_s: float) -> Any:
        """Have an idle worker perform a task of ``tasks``; if this is cancelled, the worker is ended.

        Raises:
            WorkerLost: the worker died.
            WorkerLate: it was not done within ``most_s`` seconds, and the worker was ended.
            Unavailable: no worker can be started.
        """
        worker = await self._idle.get()
        whole = False
        try:
            if worker is None:
                worker = self._make()
                await worker.ready()
            async with asyncio.timeout(most_s):
                result = await worker.call(task, file, arguments)
            whole = True
            return result
        except TimeoutError as error:
            raise WorkerLate from error
        finally:
            if worker is not None and not whole:
                worker.end()
            self._idle.put_nowait(worker if whole else None)

    def close(self) -> None:
        """End all workers, once no task is running. Blocking."""
        while not self._idle.empty():
            worker = self._idle.get_nowait()
            if worker is not None:
                worker.end()


class _Reading:
    """A single attempt to read a file."""

    def __init__(self, pool: ReaderPool, path: Path, file: Path, hear: HearPages | None, task_s: float) -> None:
        self._pool = pool
        self._task_s = task_s
        self._path = path
        self._file = file
        self._hear = hear
        self._limits = pool.limits
        self._arguments = (f"{id(self)}-{time.monotonic_ns()}", pool.limits, pool.ocr)
        self._spent_s = 0.0
        self._total = 0
        self._pages_read = 0
        self._ranges: list[PageRange] = []
        self._lost: dict[int, str] = {}

    async def read(self) -> ReadFile:
        started = time.monotonic()
        begun: ReadFile | int = await self._begin()
        if isinstance(begun, ReadFile):
            return begun
        self._total = begun
        firsts = iter(range(1, begun + 1, _AT_ONCE))
        async with self._pool.long_file:
            workers = self._pool.workers
            await run_concurrently([partial(self._read_ranges, firsts)] * workers, at_once=workers)
        joined: ReadFile = await self._do_with_retry(join_ranges, self._file, tuple(self._ranges), self._lost)
        return replace(joined, seconds=time.monotonic() - started)

    async def _begin(self) -> Any:
        """Read the file if it is short; if its first pages overload a worker, only count its pages."""
        if reads_in_ranges(self._file):
            most_s = _GRACE * _AT_ONCE * self._limits.page_s
            with suppress(WorkerLost, WorkerLate):
                return await self._do(begin_file, self._file, (*self._arguments, _AT_ONCE), most_s)
        return await self._do_with_retry(begin_file, self._file, *self._arguments, 0)

    async def _read_ranges(self, firsts: Iterator[int]) -> None:
        for first in firsts:
            last = min(first + _AT_ONCE - 1, self._total)
            try:
                await self._read_range(first, last)
            except (WorkerLost, WorkerLate):
                for page in range(first, last + 1):
                    await self._read_alone(page)

    async def _read_alone(self, page: int) -> None:
        """Read a page of a range that a worker did not finish; leave it out if that fails again."""
        try:
            await self._read_range(page, page)
            return
        except WorkerLate:
            reason = "was abandoned: it took too long"
        except WorkerLost:
            reason = f"could not be read: {_DIED}"
        self._lost[page] = reason
        if len(self._lost) >= _MOST_LOST_PAGES:
            reason = f"{len(self._lost)} of its pages crashed the worker process that read them; the last one: {reason}"
            raise UnreadableFile(str(self._path), reason, page=page)

    async def _read_range(self, first: int, last: int) -> None:
        most_s = _GRACE * self._limits.page_s * min(last - first + 1, 2)
        self._ranges.append(await self._do(read_range, self._file, (*self._arguments, first, last), most_s))
        self._pages_read += last - first + 1
        if self._hear is not None:
            self._hear(self._pages_read, self._total)

    async def _do_with_retry(self, task: Callable[..., Any], file: Path | None, *arguments: Any) -> Any:
        """Do a task, and repeat it once if a worker dies while doing it."""
        for _ in range(2):
            try:
                return await self._do(task, file, arguments, math.inf)
            except WorkerLate as error:
                raise self._given_up() from error
            except WorkerLost:
                continue
        raise UnreadableFile(str(self._path), _DIED)

    async def _do(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...], most_s: float) -> Any:
        most_s = min(most_s, self._limits.file_s - self._spent_s)
        if most_s <= 0:
            raise self._given_up()
        try:
            result = await self._pool.run(task, file, arguments, min(most_s, self._task_s))
        except WorkerLate as error:
            if self._task_s < most_s:
                raise SlowFile from error
            self._spent_s += most_s
            raise
        if isinstance(result, Refusal):
            raise UnreadableFile(str(self._path), result.reason, page=result.page)
        self._spent_s += getattr(result, "seconds", 0.0)
        return result

    def _given_up(self) -> UnreadableFile:
        reason = f"it was not read within {self._limits.file_s:g} s and was abandoned; split it into smaller files"
        return UnreadableFile(str(self._path), reason)
