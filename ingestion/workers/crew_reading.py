"""Reading with a crew: small files whole, long ones in ranges of pages by all workers, so that no core is idle."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from contracts.errors import UnreadableFile
from ingestion.files.archives import local_copy
from ingestion.finishing import finish
from ingestion.limits import IngestionLimits
from ingestion.readers import reads_in_ranges
from ingestion.workers.crew import Crew, Errand, WorkerLate, WorkerLost
from ingestion.workers.pool import HearPages, ReadFile
from ingestion.workers.tasks import PageRange, Refusal, Survey, begin_file, count_all, join_ranges, read_range
from tools.ocr import OcrEngine

# Longer than a pipe and a queue take by far, shorter than a person notices that the last core works alone.
_RANGE_S = 2.0
_MOST_PAGES = 64
# Read with the first look at a file: most files are no longer, and their pace tells how to cut the rest.
_AT_ONCE = 4
_MOST_LOST_PAGES = 3
# A worker interrupts a page by itself after the limit for a page, and ends a minute later if it cannot.
_GRACE = 1.3
_DIED = "its worker process died while reading it (out of memory, or a crash in a library)"


class CrewReaderPool:
    """Reads files with a crew: the pages of PDFs and the frames of images in ranges, each other file by one worker.

    A worker that dies or hangs over a range costs no more than the page that it dies of: the range is read again page
    by page, each page twice at most. A file of any other format is tried twice. ``counting`` counts pages (None: the
    crew itself).
    """

    def __init__(
        self, crew: Crew, limits: IngestionLimits, ocr: OcrEngine | None, *, counting: Crew | None = None
    ) -> None:
        self._crew = crew
        self._counting = counting or crew
        self._limits = limits
        self._ocr = ocr
        self._orders = 0

    @property
    def workers(self) -> int:
        """How many workers read side by side."""
        return self._crew.size

    async def read(self, path: Path, hear: HearPages | None = None) -> ReadFile:
        """Read a file; earlier calls go first. ``hear`` is told how far it is.

        Raises:
            UnreadableFile: it cannot be read, workers died of it, or it took longer than the limit.
        """
        self._orders += 1
        reading = _Reading(self._crew, self._orders, path, self._limits, self._ocr, hear)
        with ExitStack() as stack:
            try:
                # A member of an archive is unpacked once, not in each worker; seen through, for else a reading that is
                # called off would leave the copy behind.
                file = await finish(asyncio.to_thread(stack.enter_context, local_copy(path, self._limits)))
            except UnreadableFile as error:
                raise UnreadableFile(str(path), error.reason, page=error.page) from error
            return await reading.read(file)

    async def count_pages(self, paths: Sequence[Path]) -> tuple[int | None, ...]:
        """Count the pages of files in an idle worker; None for each where one of them was too much for it."""
        errand = Errand(
            order=self._orders,
            file=paths[0],
            task=count_all,
            arguments=(tuple(paths),),
            most_s=_GRACE * self._limits.page_s,
        )
        try:
            return tuple(await self._counting.do(errand))
        except (WorkerLost, WorkerLate):
            return (None,) * len(paths)

    def close(self) -> None:
        """End the workers, those that still read among them."""
        self._crew.close()
        if self._counting is not self._crew:
            self._counting.close()


class _Reading:
    """One reading of one file."""

    def __init__(
        self,
        crew: Crew,
        order: int,
        path: Path,
        limits: IngestionLimits,
        ocr: OcrEngine | None,
        hear: HearPages | None,
    ) -> None:
        self._crew = crew
        self._order = order
        self._path = path
        self._limits = limits
        self._ocr = ocr
        self._hear = hear
        self._name = f"{id(self)}-{order}-{time.monotonic_ns()}"
        self._spent_s = 0.0
        self._total: int | None = None
        self._under_way: dict[int, int] = {}  # an errand that reads pages: how many it has read
        self._done = 0
        self._pace = 0.0  # pages a second and worker
        self._next = 1
        self._ranges: list[PageRange] = []
        self._lost: dict[int, str] = {}

    async def read(self, file: Path) -> ReadFile:
        begun = await self._begin(file)
        if isinstance(begun, ReadFile):
            return begun
        started = time.monotonic() - begun.seconds
        self._total = begun.pages
        if begun.begun is not None:
            self._keep(begun.begun)
            self._next = begun.begun.last + 1
        lanes = min(self._crew.size, max(1, begun.pages - self._next + 1))
        await _all([self._read_ranges(file, lanes) for _ in range(lanes)])
        try:
            joined = await self._do(file, join_ranges, (tuple(self._ranges), begun, self._lost), self._limits.file_s)
        except WorkerLost:
            joined = await self._twice(file, join_ranges, (tuple(self._ranges), begun, self._lost))
        assert isinstance(joined, ReadFile)
        return ReadFile(joined.pages, joined.title, joined.media_type, time.monotonic() - started)

    async def _begin(self, file: Path) -> "ReadFile | Survey":
        """Read the file, or its first pages; where these are too much for a worker, only look at it."""
        in_ranges = reads_in_ranges(file)
        arguments = (self._name, self._limits, self._ocr)
        most_s = _GRACE * _AT_ONCE * self._limits.page_s if in_ranges else self._limits.file_s
        begun: ReadFile | Survey
        try:
            begun = await self._do(file, begin_file, (*arguments, _AT_ONCE), most_s, tells=True)
        except WorkerLate:
            if not in_ranges:
                raise self._given_up() from None
            begun = await self._twice(file, begin_file, (*arguments, 0))
        except WorkerLost:
            begun = await self._twice(file, begin_file, (*arguments, 0))
        return begun

    async def _twice(self, file: Path, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do for the second time what a worker was lost at."""
        try:
            return await self._do(file, task, arguments, self._limits.file_s)
        except WorkerLost as error:
            raise UnreadableFile(str(self._path), _DIED) from error
        except WorkerLate as error:
            raise self._given_up() from error

    async def _read_ranges(self, file: Path, lanes: int) -> None:
        assert self._total is not None
        while self._next <= self._total:
            left = self._total - self._next + 1
            # The nearer the end, the shorter: all workers finish together.
            count = max(1, min(round(self._pace * _RANGE_S), _MOST_PAGES, left // (2 * lanes)))
            first, last = self._next, self._next + count - 1
            self._next = last + 1
            most_s = _GRACE * self._limits.page_s * min(count, 2)
            try:
                self._keep(await self._read_range(file, first, last, most_s))
            except (WorkerLost, WorkerLate) as error:
                for page in range(first, last + 1):
                    await self._read_page(file, page, error if first == last else None)

    async def _read_page(self, file: Path, page: int, failure: Exception | None) -> None:
        """Read a page by itself, once more where a worker died at it; ``failure`` is that of a first try."""
        while not isinstance(failure, WorkerLate):
            try:
                self._keep(await self._read_range(file, page, page, _GRACE * self._limits.page_s))
                return
            except (WorkerLost, WorkerLate) as error:
                if failure is not None:
                    self._lose(page, error)
                    return
                failure = error
        self._lose(page, failure)

    def _lose(self, page: int, failure: Exception) -> None:
        reason = f"could not be read: {_DIED}" if isinstance(failure, WorkerLost) else "was given up: it took too long"
        self._lost[page] = reason
        if len(self._lost) >= _MOST_LOST_PAGES:
            reason = f"{len(self._lost)} of its pages ended the worker process that read them; the last one: {reason}"
            raise UnreadableFile(str(self._path), reason, page=page)

    async def _read_range(self, file: Path, first: int, last: int, most_s: float) -> PageRange:
        found = await self._do(file, read_range, (self._name, self._limits, self._ocr, first, last), most_s, tells=True)
        assert isinstance(found, PageRange)
        return found

    async def _do(
        self, file: Path, task: Callable[..., Any], arguments: tuple[Any, ...], most_s: float, *, tells: bool = False
    ) -> Any:
        left_s = self._limits.file_s - self._spent_s
        if left_s <= 0 < self._spent_s:
            raise self._given_up()
        number = len(self._under_way)
        while number in self._under_way:
            number += 1

        def listen(read: int, total: int | None) -> None:
            self._under_way[number] = read
            self._total = self._total or total
            self._tell()

        errand = Errand(
            order=self._order,
            file=file,
            task=task,
            arguments=arguments,
            most_s=min(most_s, left_s),
            opens_file=task is not join_ranges,
            hear=listen if tells else None,
        )
        result: Any = None
        try:
            if tells:
                self._under_way[number] = 0
            result = await self._crew.do(errand)
        except WorkerLate:
            self._spent_s += errand.most_s
            raise
        finally:
            self._under_way.pop(number, None)
        if isinstance(result, Refusal):
            raise UnreadableFile(str(self._path), result.reason, page=result.page)
        self._spent_s += getattr(result, "seconds", 0.0)
        return result

    def _keep(self, found: PageRange) -> None:
        self._ranges.append(found)
        pages = found.last - found.first + 1
        self._done += pages
        pace = pages / max(found.seconds, 1e-3)
        # Text and scans take turns in some files: the newest counts most.
        self._pace = pace if not self._pace else (self._pace + pace) / 2
        self._tell()

    def _tell(self) -> None:
        if self._hear is not None:
            self._hear(self._done + sum(self._under_way.values()), self._total)

    def _given_up(self) -> UnreadableFile:
        reason = f"it was not read within {self._limits.file_s:g} s and was given up"
        return UnreadableFile(str(self._path), reason)


async def _all(work: Sequence[Any]) -> None:
    """Await all, and cancel what is left when one fails."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
