"""One run for a list of files: prepared in parallel, each stored as soon as it is done, completely or not at all."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from contracts.errors import GoldenError, InvalidInput, UnreadableFile
from ingestion.cancellation import finish
from ingestion.files.archives import hash_content
from ingestion.files.found_files import FoundFile
from ingestion.reports import FileReport, Hear, IngestionReport, Phase
from ingestion.runs.build import Built, build, describe
from ingestion.runs.outcomes import FileOutcomes
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan, Planner
from ingestion.runs.progress_estimate import ProgressEstimate
from ingestion.scratch import remove_abandoned_folders
from ingestion.workers.pool import ReaderPool, SlowFile

_LOG = logging.getLogger(__name__)

_LOOKED_UP_AT_ONCE = 500
# The maximum number of files in progress (from their start until they are stored), and of their bytes.
_FILES_AHEAD, _FILES_AHEAD_A_WORKER = 2, 2
_BYTES_AHEAD, _BYTES_AHEAD_A_WORKER = 64 * 1024 * 1024, 16 * 1024 * 1024
# Among this many files, small ones overtake large ones.
_LEAST_WAITING = 500
# While one text is summarised and mined, which Python does on one core, another is embedded, on all cores.
_BUILT_AT_ONCE = 2
# Only one text longer than this is built at a time; shorter ones overtake it.
_LONG_CHARACTERS = 500_000


class _ChangedFile(UnreadableFile):
    """A file changed while it was being read."""


# A file that is ready to be stored: what to do with it, and the version to store, if any.
_Prepared = tuple[Plan, Built | None]
_Preparing = asyncio.Task[_Prepared | None]


class _WaitingFiles:
    """Files in order, followed by those that are read when no other file is waiting."""

    def __init__(self) -> None:
        self._files: deque[FoundFile] = deque()
        self._behind: list[FoundFile] = []

    def __len__(self) -> int:
        return len(self._files)

    def add(self, file: FoundFile, *, behind: bool = False) -> None:
        (self._behind if behind else self._files).append(file)

    def any_left(self) -> bool:
        """Return whether a file is waiting; the postponed files follow when no other is left."""
        if not self._files:
            self._files.extend(self._behind)
            self._behind.clear()
        return bool(self._files)

    def take(self, under_way: Collection[FoundFile], workers: int) -> FoundFile | None:
        """Take the next file that ``workers`` have room for in addition to those ``under_way``; None if there is none.

        A file that is too large for the available room is overtaken; it is taken when nothing else is in progress or
        fits.
        """
        if len(under_way) >= _FILES_AHEAD + _FILES_AHEAD_A_WORKER * workers:
            return None
        left = _BYTES_AHEAD + _BYTES_AHEAD_A_WORKER * workers - sum(file.size_bytes for file in under_way)
        fits = (index for index, file in enumerate(self._files) if file.size_bytes <= left)
        index = next(fits, None if under_way or not self._files else 0)
        if index is None:
            return None
        file = self._files[index]
        del self._files[index]
        return file


class IngestionRun:
    """Processes files, started in order and stored as soon as they are done, and reports the result of each."""

    def __init__(self, parts: Parts, *, group: str, hear: Hear | None, report: IngestionReport) -> None:
        self._parts = parts
        self._ledger = parts.store.ledger
        self._outcomes = FileOutcomes(parts, group)
        self._group = group
        self._planner = Planner(parts.store, group=group, recipe=parts.recipe)
        self._hear = hear
        self._report = report
        self._estimate = ProgressEstimate()
        self._planning = asyncio.Lock()
        self._building = asyncio.Semaphore(_BUILT_AT_ONCE)
        self._building_long = asyncio.Lock()
        self._repeats: list[tuple[FoundFile, Plan]] = []
        self._waiting = _WaitingFiles()
        # Why a file is tried again, with its plan if that still applies.
        self._tried: dict[str, tuple[type[Exception], Plan | None]] = {}
        # How long a file may occupy a worker without a break.
        self._task_s = parts.limits.slow_s

    async def take(self, find: Callable[[], Iterator[FoundFile]], last: Collection[str] = ()) -> None:
        """Process the files that ``find`` finds, those at the paths ``last`` after the others.

        They are found twice, to count and to read them, so that few are in memory at once.
        """
        if await self._survey(find()) == 1:
            self._task_s = math.inf
        found = find()
        await asyncio.to_thread(remove_abandoned_folders)
        pool: ReaderPool | None = None
        under_way: dict[_Preparing, tuple[FoundFile, float]] = {}
        try:
            while await self._refill(found, last) or under_way:
                if pool is None:
                    pool = await finish(asyncio.to_thread(self._parts.open_pool))
                self._begin(under_way, pool)
                done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in [each for each in under_way if each in done]:
                    file, began = under_way.pop(task)
                    await self._take_one(file, task, began)
            # Last, once the files that they duplicate are stored or have failed.
            for file, plan in self._repeats:
                assert pool is not None
                await self._take_one(file, self._prepare_repeat(file, plan, pool), time.monotonic())
        finally:
            # Not cancellable: a run may be cancelled twice, and would leave its workers and marks behind.
            if pool is not None:
                await finish(self._end(pool, under_way))

    def tell(self, report: FileReport, *, was_read: bool = False) -> None:
        """Count a file as finished, and report its result."""
        self._report.add(report)
        self._estimate.finish(report.path, report.pages, seconds=report.seconds if was_read else None)
        if self._hear is not None:
            self._hear(report)

    def _begin(self, under_way: dict[_Preparing, tuple[FoundFile, float]], pool: ReaderPool) -> None:
        """Start waiting files as long as there is room in addition to those ``under_way``."""
        while file := self._waiting.take([each for each, _ in under_way.values()], pool.workers):
            self._estimate.begin(file.place, file.size_bytes)
            under_way[asyncio.create_task(self._prepare(file, pool))] = (file, time.monotonic())

    async def _end(self, pool: ReaderPool, under_way: Collection[_Preparing]) -> None:
        try:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await asyncio.to_thread(pool.close)
        finally:
            await asyncio.to_thread(self._ledger.end_readings)

    def _hear_embedded(self, path: str, embedded: int, texts: int) -> None:
        self._estimate.record_embedded(path, embedded, texts)
        self._say("embedding", path)

    def _say(self, phase: Phase, current: str = "") -> None:
        if self._hear is not None:
            self._hear(self._estimate.progress(phase, current))

    async def _survey(self, files: Iterator[FoundFile]) -> int:
        """Count the files, and measure those that must be read; return how many must be read."""
        to_read = total = 0
        while (looked_up := await self._look_up(files))[0]:
            some, unchanged = looked_up
            work = [file for file in some if not (file.skipped or file.missing or file.place in unchanged)]
            total, to_read = total + len(some), to_read + len(work)
            self._estimate.expect(total, [(file.place, file.size_bytes) for file in work])
            self._say("finding")
        return to_read

    async def _refill(self, found: Iterator[FoundFile], last: Collection[str]) -> bool:
        """Queue more of the found files, and report those that need no work; return whether any file is waiting."""
        while len(self._waiting) < _LEAST_WAITING:
            some, unchanged = await self._look_up(found)
            if not some:
                break
            for file in some:
                if file.skipped:
                    self.tell(FileReport(path=file.place, status="skipped", reason=file.skipped))
                elif file.missing:
                    self.tell(FileReport(path=file.place, status="failed", reason="there is no such file"))
                elif file.place in unchanged:
                    self.tell(FileReport(path=file.place, status="unchanged"))
                else:
                    self._waiting.add(file, behind=file.place in last)
            self._say("finding")
        return self._waiting.any_left()

    async def _look_up(self, files: Iterator[FoundFile]) -> tuple[Sequence[FoundFile], Collection[str]]:
        """Return the next files, none at the end, and the places of the unchanged ones."""
        some = await asyncio.to_thread(list, islice(files, _LOOKED_UP_AT_ONCE))
        whole = [file for file in some if not file.skipped and not file.missing]
        return some, await asyncio.to_thread(self._planner.unchanged, whole)

    async def _prepare(self, file: FoundFile, pool: ReaderPool) -> _Prepared | None:
        """Plan a file, and read and build it if the plan requires this; None if it has to wait for other files.

        Raises the same errors as ``_read``.
        """
        tried, plan = self._tried.get(file.place, (None, None))
        if plan is None:
            # The lock is fair: files are planned in order, whichever is read first.
            async with self._planning:
                plan = await asyncio.to_thread(self._planner.plan, file)
        if plan.action == "read":
            try:
                return await self._read(file, plan, pool, task_s=math.inf if tried else self._task_s)
            except (SlowFile, _ChangedFile) as error:
                # A slow file may change while it waits: it is abandoned only if the same happens twice.
                if tried is type(error):
                    raise
                self._tried[file.place] = type(error), plan if isinstance(error, SlowFile) else None
                self._waiting.add(file, behind=True)
                return None
        if plan.action == "duplicate":
            self._repeats.append((file, plan))
            return None
        return plan, None

    async def _prepare_repeat(self, file: FoundFile, plan: Plan, pool: ReaderPool) -> _Prepared:
        """Look for the document that a file repeats; if that could not be stored, or has changed, read the file.

        Raises the same errors as ``_read``.
        """
        twin = await asyncio.to_thread(self._planner.twin_of, file.place, plan.content_hash)
        if twin is None:
            return await self._read(file, plan, pool)
        return replace(plan, stored=twin), None

    async def _read(self, file: FoundFile, plan: Plan, pool: ReaderPool, *, task_s: float = math.inf) -> _Prepared:
        """Read and build a file.

        Raises:
            UnreadableFile: it cannot be read, or changed in the meantime (``_ChangedFile``).
            SlowFile: it occupies a worker for longer than ``task_s``.
            Unavailable: the database or the embedding model is not available.
        """
        # Not cancellable: a thread outlives a cancelled task, and would write its mark after the run removed all marks.
        await finish(asyncio.to_thread(self._ledger.begin, plan.document_id, file.place, self._group))

        def hear(read: int, total: int | None) -> None:
            if self._estimate.record_read(file.place, read, total):
                self._say("reading", file.place)

        self._say("reading", file.place)
        read = await pool.read(file.path, hear, task_s=task_s)
        await self._expect_settled(file, plan)
        report = describe(file, read)
        long = sum(len(block.text) for page in read.pages for block in page.blocks) > _LONG_CHARACTERS
        async with self._building_long if long else nullcontext(), self._building:
            say = partial(self._say, current=file.place)
            hear_embedded = partial(self._hear_embedded, file.place)
            try:
                async with asyncio.timeout(self._parts.limits.file_s):
                    built = await build(file, plan, read, report, self._group, self._parts, say, hear_embedded)
            except TimeoutError as error:
                reason = f"its passages were not created and embedded within {self._parts.limits.file_s:g} s"
                raise UnreadableFile(file.place, f"{reason}; split it into smaller files") from error
        # Another server may have stored a newer version in the meantime.
        await self._expect_settled(file, plan)
        return plan, built

    async def _expect_settled(self, file: FoundFile, plan: Plan) -> None:
        if await asyncio.to_thread(hash_content, file.path) != plan.content_hash:
            raise _ChangedFile(file.place, "it changed while it was read: ingest again when it is written")

    async def _take_one(self, file: FoundFile, preparing: Awaitable[_Prepared | None], started: float) -> None:
        try:
            prepared = await preparing
            if prepared is not None:
                plan, built = prepared
                if built is not None:
                    self._say("storing", file.place)
                await self._write(self._outcomes.settle, file, plan, built, was_read=built is not None)
        except UnreadableFile as error:
            reason = error.reason if error.page is None else f"page {error.page}: {error.reason}"
            await self._write(self._outcomes.fail, file, reason, started)
        except InvalidInput as error:
            await self._write(self._outcomes.fail, file, str(error), started)
        except GoldenError:
            raise
        except Exception as error:
            # A step did not expect this text, or the file has disappeared: the run continues with the other files.
            _LOG.debug("%s cannot be processed", file.place, exc_info=True)
            reason = f"it cannot be processed ({type(error).__name__}: {error})"
            await self._write(self._outcomes.fail, file, reason, started)

    async def _write(self, outcome: Callable[..., FileReport], *arguments: Any, was_read: bool = True) -> None:
        """Write the outcome of a file into the library and report it, even if the run is cancelled repeatedly."""

        async def write() -> None:
            self.tell(await asyncio.to_thread(outcome, *arguments), was_read=was_read)

        await finish(write())
