"""One run over a list of files: prepared side by side, each stored as it is done, as a whole or not at all."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from contracts.documents import IngestionDetails, IngestionOutcome
from contracts.errors import GoldenError, InvalidInput, UnreadableFile
from ingestion.cancellation import finish
from ingestion.files.archives import hash_content
from ingestion.files.found_files import FoundFile
from ingestion.reports import FileReport, FileStatus, Hear, Phase, Tally
from ingestion.runs.build import Built, build, describe
from ingestion.runs.meter import Meter
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan, Planner
from ingestion.runs.waiting_files import WaitingFiles
from ingestion.scratch import remove_abandoned_folders
from ingestion.workers.pool import ReaderPool, SlowFile
from ingestion.workers.tasks import ReadFile

_LOG = logging.getLogger(__name__)

_LOOKED_UP_AT_ONCE = 500
# Small files pass large ones among so many.
_LEAST_WAITING = 500
# While the text of one is summarised and mined, which Python does on one core, the other's is embedded, on all of them.
_BUILT_AT_ONCE = 2
# Of texts longer than that only one is built at a time: the others pass it.
_LONG_CHARACTERS = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A file that is ready to be settled; ``built`` is the version to store, if the plan wants one."""

    plan: Plan
    began: datetime
    built: Built | None = None


class _ChangedFile(UnreadableFile):
    """A file changed while it was read."""


_Preparing = asyncio.Task[_Prepared | None]


class IngestionRun:
    """Takes up files, begun in their order and stored as they are done, and tells what becomes of each."""

    def __init__(self, parts: Parts, *, group: str, check_content: bool, hear: Hear | None, tally: Tally) -> None:
        self._parts = parts
        self._store = parts.store
        self._ledger = parts.store.ledger
        self._group = group
        self._planner = Planner(parts.store, group=group, recipe=parts.recipe, check_content=check_content)
        self._hear = hear
        self._tally = tally
        self._meter = Meter()
        self._planning = asyncio.Lock()
        self._building = asyncio.Semaphore(_BUILT_AT_ONCE)
        self._building_long = asyncio.Lock()
        self._repeats: list[tuple[FoundFile, Plan]] = []
        self._waiting = WaitingFiles()
        # With the plan, if it still holds, of what was tried before.
        self._tried: dict[str, Plan | None] = {}
        # How long a file may hold a worker at a stretch.
        self._task_s = parts.limits.slow_s

    async def take(self, find: Callable[[], Iterator[FoundFile]], last: Collection[str] = ()) -> None:
        """Take up the files that ``find`` finds, those at the paths ``last`` behind the others.

        They are found twice, to be counted and to be read, so that few are in memory at once.
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
            # Last, when what they repeat is stored, or could not be.
            for file, plan in self._repeats:
                assert pool is not None
                await self._take_one(file, self._prepare_repeat(file, plan, pool), time.monotonic())
        finally:
            # Seen through: who stops a run may do so twice, and its workers and marks would stay.
            if pool is not None:
                await finish(self._end(pool, under_way))

    def tell(self, report: FileReport, *, was_read: bool = False) -> None:
        """Count a file as done with, and tell what became of it."""
        self._tally.add(report)
        self._meter.finish(report.path, report.pages, seconds=report.seconds if was_read else None)
        if self._hear is not None:
            self._hear(report)

    def _begin(self, under_way: dict[_Preparing, tuple[FoundFile, float]], pool: ReaderPool) -> None:
        """Begin with files that wait as far as there is room beside those that are ``under_way``."""
        while file := self._waiting.take([each for each, _ in under_way.values()], pool.workers):
            self._meter.begin(file.place, file.size_bytes)
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
        self._meter.hear_embedded(path, embedded, texts)
        self._say("embedding", path)

    def _say(self, phase: Phase, current: str = "") -> None:
        if self._hear is not None:
            self._hear(self._meter.progress(phase, current))

    async def _survey(self, files: Iterator[FoundFile]) -> int:
        """Count the files, and measure those that must be read; return how many these are."""
        to_read = total = 0
        while (looked_up := await self._look_up(files))[0]:
            some, unchanged = looked_up
            work = [file for file in some if not (file.skipped or file.missing or file.place in unchanged)]
            total, to_read = total + len(some), to_read + len(work)
            self._meter.expect(total, [(file.place, file.size_bytes) for file in work])
            self._say("finding")
        return to_read

    async def _refill(self, found: Iterator[FoundFile], last: Collection[str]) -> bool:
        """Let more of the files that were found wait, telling of those that need no work; say whether any waits."""
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
        """Return the next of the files, none at the end, and the places of those that are unchanged."""
        some = await asyncio.to_thread(list, islice(files, _LOOKED_UP_AT_ONCE))
        whole = [file for file in some if not file.skipped and not file.missing]
        return some, await asyncio.to_thread(self._planner.unchanged, whole)

    async def _prepare(self, file: FoundFile, pool: ReaderPool) -> _Prepared | None:
        """Plan a file, and read and build it where the plan says so; None where it waits for others.

        Raises what ``_read`` does.
        """
        tried = file.place in self._tried
        plan = self._tried.get(file.place)
        if plan is None:
            # The lock is fair: files are planned in their order, whichever is read first.
            async with self._planning:
                plan = await asyncio.to_thread(self._planner.plan, file)
        if plan.action == "read":
            try:
                return await self._read(file, plan, pool, task_s=math.inf if tried else self._task_s)
            except (SlowFile, _ChangedFile) as error:
                if tried:
                    raise
                self._tried[file.place] = plan if isinstance(error, SlowFile) else None
                self._waiting.add(file, behind=True)
                return None
        if plan.action == "duplicate":
            self._repeats.append((file, plan))
            return None
        return _Prepared(plan=plan, began=datetime.now(UTC))

    async def _prepare_repeat(self, file: FoundFile, plan: Plan, pool: ReaderPool) -> _Prepared:
        """Look for the document that answers for a file; where it could not be stored, or has changed, read the file.

        Raises what ``_read`` does.
        """
        twin = await asyncio.to_thread(self._planner.twin_of, file.place, plan.content_hash)
        if twin is None:
            return await self._read(file, plan, pool)
        return _Prepared(plan=replace(plan, stored=twin), began=datetime.now(UTC))

    async def _read(self, file: FoundFile, plan: Plan, pool: ReaderPool, *, task_s: float = math.inf) -> _Prepared:
        """Read and build a file.

        Raises:
            UnreadableFile: it cannot be read, or changed meanwhile (``_ChangedFile``).
            SlowFile: it holds a worker for longer than ``task_s``.
            Unavailable: the database or the embedding model is not there.
        """
        # Seen through: a thread outlives the task that is called off, and would note it after the run took all back.
        await finish(asyncio.to_thread(self._ledger.begin, plan.document_id, file.place, self._group))
        read = await self._read_settled(file, plan, pool, task_s)
        began = datetime.now(UTC)
        report = describe(file, read, self._parts)
        long = sum(len(block.text) for page in read.pages for block in page.blocks) > _LONG_CHARACTERS
        async with self._building_long if long else nullcontext(), self._building:
            say = partial(self._say, current=file.place)
            hear_embedded = partial(self._hear_embedded, file.place)
            try:
                async with asyncio.timeout(self._parts.limits.file_s):
                    built = await build(file, plan, read, report, self._group, self._parts, say, hear_embedded)
            except TimeoutError as error:
                reason = f"its passages were not made and embedded within {self._parts.limits.file_s:g} s"
                raise UnreadableFile(file.place, f"{reason}; split it into smaller files") from error
        # Another server may have stored a newer version meanwhile.
        await self._expect_settled(file, plan)
        return _Prepared(plan=plan, began=began, built=built)

    async def _read_settled(self, file: FoundFile, plan: Plan, pool: ReaderPool, task_s: float) -> ReadFile:
        """Read a file whose content is the same before and after."""

        def hear(read: int, total: int | None) -> None:
            if self._meter.hear(file.place, read, total):
                self._say("reading", file.place)

        self._say("reading", file.place)
        read = await pool.read(file.path, hear, task_s=task_s)
        await self._expect_settled(file, plan)
        return read

    async def _expect_settled(self, file: FoundFile, plan: Plan) -> None:
        if await asyncio.to_thread(hash_content, file.path) != plan.content_hash:
            raise _ChangedFile(file.place, "it changed while it was read: ingest again when it is written")

    async def _take_one(self, file: FoundFile, preparing: Awaitable[_Prepared | None], started: float) -> None:
        try:
            prepared = await preparing
            if prepared is not None:
                await self._settle(file, prepared)
        except UnreadableFile as error:
            reason = error.reason if error.page is None else f"page {error.page}: {error.reason}"
            await self._fail(file, reason, started)
        except InvalidInput as error:
            await self._fail(file, str(error), started)
        except GoldenError:
            raise
        except Exception as error:
            # A text that some step did not expect, or a file that went away meanwhile: the others go on.
            _LOG.debug("%s cannot be taken up", file.place, exc_info=True)
            await self._fail(file, f"it cannot be taken up ({type(error).__name__}: {error})", started)

    async def _settle(self, file: FoundFile, prepared: _Prepared) -> None:
        plan, started = prepared.plan, time.monotonic()
        if prepared.built is not None:
            self._say("storing", file.place)
            await finish(self._store_built(prepared.built, plan, prepared.began))
        elif plan.action == "duplicate":
            await finish(self._note_duplicate(file, plan, started))
        elif plan.action == "keep":
            await finish(self._keep(file, plan, started))
        else:
            await finish(self._relocate(file, plan, started))

    async def _store_built(self, built: Built, plan: Plan, began: datetime) -> None:
        def store() -> None:
            former = self._store.document(built.document.id)
            if former is not None:
                self._parts.forget_terms(former)
            # Before the document: were it after, a kill between the two would lose the terms of a finished document.
            self._parts.offer(built.mined)
            reading = IngestionDetails(
                recipe=self._parts.recipe,
                modified_ns=plan.modified_ns,
                mined=built.mined,
                report=built.report.stored(),
                started_at=began,
            )
            self._store.replace_document(
                built.document, built.chunks, built.vectors, embedder=self._parts.embedder.name, details=reading
            )

        started = time.monotonic()
        await asyncio.to_thread(store)
        seconds = time.monotonic() - started
        report = built.report
        phases = {**report.phases, "storing": seconds}
        self.tell(replace(report, phases=phases, seconds=report.seconds + seconds), was_read=True)

    async def _keep(self, file: FoundFile, plan: Plan, started: float) -> None:
        record = await asyncio.to_thread(self._ledger.record, plan.document_id)
        if record is not None:
            await asyncio.to_thread(self._ledger.note_unchanged, record, plan.modified_ns)
        self._tell_short(file, "unchanged", plan.document_id, "", started)

    async def _relocate(self, file: FoundFile, plan: Plan, started: float) -> None:
        """Give a stored document another path, another group, or both."""
        former = plan.stored
        assert former is not None
        moved = plan.action == "move"
        document = replace(former, path=file.place, name=file.name, group=self._group)
        reason = f"it was at {former.path}" if moved else f"it was for the readers of {former.group}"

        def relocate() -> None:
            if document.name != former.name:
                self._parts.forget_terms(former)
                mined = self._ledger.mined_from(former.id)
                self._parts.offer([replace(term, document=document.name) for term in mined])
            outcome: IngestionOutcome = "moved" if moved else "regrouped"
            self._store.relocate_document(document, outcome=outcome, reason=reason, modified_ns=plan.modified_ns)

        await asyncio.to_thread(relocate)
        self._tell_short(file, "moved" if moved else "regrouped", former.id, reason, started)

    async def _note_duplicate(self, file: FoundFile, plan: Plan, started: float) -> None:
        twin = plan.stored
        assert twin is not None

        def note() -> None:
            former = self._store.document(plan.document_id)
            if former is not None:
                self._parts.drop_document(former, f"its file has the same content as {twin.path} now")
            self._ledger.note_duplicate(
                plan.document_id, twin, path=file.place, size_bytes=plan.size_bytes, modified_ns=plan.modified_ns
            )

        await asyncio.to_thread(note)
        self._tell_short(file, "duplicate", plan.document_id, f"the same content as {twin.path}", started)

    def _tell_short(self, file: FoundFile, status: FileStatus, document_id: str, reason: str, started: float) -> None:
        seconds = time.monotonic() - started
        self.tell(FileReport(path=file.place, status=status, document_id=document_id, reason=reason, seconds=seconds))

    async def _fail(self, file: FoundFile, reason: str, started: float) -> None:
        seconds = time.monotonic() - started
        report = FileReport(path=file.place, status="failed", reason=reason, seconds=seconds)

        def note() -> str:
            document_id = self._ledger.id_for(file.place)
            self._ledger.fail(document_id, reason, path=file.place, group=self._group, report=report.stored())
            return document_id

        document_id = await finish(asyncio.to_thread(note))
        self.tell(replace(report, document_id=document_id), was_read=True)
