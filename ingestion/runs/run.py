"""One run over a list of files: prepared side by side, each stored as it is done, as a whole or not at all."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from contracts.documents import IngestionDetails, IngestionOutcome
from contracts.errors import GoldenError, InvalidInput, UnreadableFile
from ingestion.cancellation import finish
from ingestion.files.archives import hash_content
from ingestion.files.found_files import FoundFile
from ingestion.files.scratch import remove_abandoned_folders
from ingestion.reports import FileReport, FileStatus, Hear, Phase, Tally
from ingestion.runs.build import Built, build, describe
from ingestion.runs.meter import Meter
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan, Planner
from ingestion.workers.pool import ReaderPool, SlowFile
from ingestion.workers.tasks import ReadFile

_LOG = logging.getLogger(__name__)

_LOOKED_UP_AT_ONCE = 500
# What is in flight at most, from the first look at a file until it is stored: files, and bytes of theirs.
_FILES_AHEAD, _FILES_AHEAD_A_WORKER = 2, 2
_BYTES_AHEAD, _BYTES_AHEAD_A_WORKER = 64 * 1024 * 1024, 16 * 1024 * 1024
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
        self._meter = Meter(0)
        self._planning = asyncio.Lock()
        self._building = asyncio.Semaphore(_BUILT_AT_ONCE)
        self._building_long = asyncio.Lock()
        self._repeats: list[tuple[FoundFile, Plan]] = []
        self._waiting: deque[FoundFile] = deque()
        # How long a file may hold a worker at a stretch; the plans of those that did, to be read behind the others.
        self._task_s = math.inf
        self._slow: dict[str, Plan] = {}

    async def take(self, files: Sequence[FoundFile], last: Collection[str] = ()) -> None:
        """Take up all of ``files``, those at the paths ``last`` behind the others."""
        self._meter = Meter(len(files))
        self._say("finding")
        work = await self._leave_alone(files)
        self._meter.expect({file.place: file.size_bytes for file in work})
        if not work:
            return
        self._task_s = self._parts.limits.slow_s if len(work) > 1 else math.inf
        await asyncio.to_thread(remove_abandoned_folders)
        pool = await finish(asyncio.to_thread(self._parts.open_pool))
        self._waiting = waiting = deque(sorted(work, key=lambda file: file.place in last))
        under_way: dict[_Preparing, tuple[FoundFile, float]] = {}
        try:
            while waiting or under_way:
                self._begin(under_way, pool)
                done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in [each for each in under_way if each in done]:
                    file, began = under_way.pop(task)
                    await self._take_one(file, task, began)
            # Last, when what they repeat is stored, or could not be.
            for file, plan in self._repeats:
                await self._take_one(file, self._prepare_repeat(file, plan, pool), time.monotonic())
        finally:
            # Seen through: who stops a run may do so twice, and its workers and marks would stay.
            await finish(self._end(pool, under_way))

    def tell(self, report: FileReport, *, was_read: bool = False) -> None:
        """Count a file as done with, and tell what became of it."""
        self._tally.add(report)
        self._meter.finish(report.path, report.pages, was_read=was_read)
        if self._hear is not None:
            self._hear(report)

    def _begin(self, under_way: dict[_Preparing, tuple[FoundFile, float]], pool: ReaderPool) -> None:
        """Begin with files that wait as far as there is room beside those that are ``under_way``.

        A file too large for the room is passed by the others, and begun when nothing else is under way.
        """
        waiting = self._waiting
        most_files = _FILES_AHEAD + _FILES_AHEAD_A_WORKER * pool.workers
        most_bytes = _BYTES_AHEAD + _BYTES_AHEAD_A_WORKER * pool.workers
        while waiting and len(under_way) < most_files:
            left = most_bytes - sum(file.size_bytes for file, _ in under_way.values())
            fits = (index for index, file in enumerate(waiting) if file.size_bytes <= left)
            index = next(fits, None if under_way else 0)
            if index is None:
                return
            file = waiting[index]
            del waiting[index]
            under_way[asyncio.create_task(self._prepare(file, pool))] = (file, time.monotonic())

    async def _end(self, pool: ReaderPool, under_way: Collection[_Preparing]) -> None:
        try:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await asyncio.to_thread(pool.close)
        finally:
            await asyncio.to_thread(self._ledger.end_readings)

    def _say(self, phase: Phase, current: str = "") -> None:
        if self._hear is not None:
            self._hear(self._meter.progress(phase, current))

    async def _leave_alone(self, files: Sequence[FoundFile]) -> list[FoundFile]:
        """Tell of the files that need no work; return the others."""
        work: list[FoundFile] = []
        for start in range(0, len(files), _LOOKED_UP_AT_ONCE):
            some = files[start : start + _LOOKED_UP_AT_ONCE]
            whole = [file for file in some if not file.skipped and not file.missing]
            unchanged = await asyncio.to_thread(self._planner.unchanged, whole)
            for file in some:
                if file.skipped:
                    self.tell(FileReport(path=file.place, status="skipped", reason=file.skipped))
                elif file.missing:
                    self.tell(FileReport(path=file.place, status="failed", reason="there is no such file"))
                elif file.place in unchanged:
                    self.tell(FileReport(path=file.place, status="unchanged"))
                else:
                    work.append(file)
            self._say("finding")
        return work

    async def _prepare(self, file: FoundFile, pool: ReaderPool) -> _Prepared | None:
        """Plan a file, and read and build it where the plan says so; None where it waits for others.

        Raises what ``_read`` does.
        """
        plan = self._slow.get(file.place)
        if plan is not None:
            return await self._read(file, plan, pool)
        # The lock is fair: files are planned in their order, whichever is read first.
        async with self._planning:
            plan = await asyncio.to_thread(self._planner.plan, file)
        if plan.action == "read":
            try:
                return await self._read(file, plan, pool, task_s=self._task_s)
            except SlowFile:
                self._slow[file.place] = plan
                self._waiting.append(file)
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
            UnreadableFile: it cannot be read.
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
            try:
                async with asyncio.timeout(self._parts.limits.file_s):
                    built = await build(file, plan, read, report, self._group, self._parts, say)
            except TimeoutError as error:
                reason = f"its passages were not made and embedded within {self._parts.limits.file_s:g} s"
                raise UnreadableFile(file.place, f"{reason}; split it into smaller files") from error
        return _Prepared(plan=plan, began=began, built=built)

    async def _read_settled(self, file: FoundFile, plan: Plan, pool: ReaderPool, task_s: float) -> ReadFile:
        """Read a file whose content is the same before and after."""

        def hear(read: int, total: int | None) -> None:
            if self._meter.hear(file.place, read, total):
                self._say("reading", file.place)

        self._say("reading", file.place)
        read = await pool.read(file.path, hear, task_s=task_s)
        if await asyncio.to_thread(hash_content, file.path) != plan.content_hash:
            raise UnreadableFile(file.place, "it changed while it was read: ingest again when it is written")
        return read

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
