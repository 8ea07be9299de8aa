"""The outcome of each file: stored, kept, moved, a duplicate or failed; written to the library and reported."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from contracts.documents import IngestionDetails, IngestionOutcome
from ingestion.cancellation import finish
from ingestion.files.found_files import FoundFile
from ingestion.reports import FileReport, FileStatus
from ingestion.runs.build import Built
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan


class FileOutcomes:
    """Writes the outcome of each file into the library as a whole, however often the run is cancelled.

    ``tell`` receives each report; ``was_read`` says whether the file was read.
    """

    def __init__(self, parts: Parts, group: str, tell: Callable[..., None]) -> None:
        self._parts = parts
        self._store = parts.store
        self._ledger = parts.store.ledger
        self._group = group
        self._tell = tell

    async def settle(self, file: FoundFile, plan: Plan, built: Built | None) -> None:
        """Store the built document, or record that a file is unchanged, moved, regrouped or a duplicate."""
        started = time.monotonic()
        if built is not None:
            await finish(self._store_built(built, plan, started))
        elif plan.action == "duplicate":
            await finish(self._note_duplicate(file, plan, started))
        elif plan.action == "keep":
            await finish(self._keep(file, plan, started))
        else:
            await finish(self._relocate(file, plan, started))

    async def _store_built(self, built: Built, plan: Plan, started: float) -> None:
        def store() -> None:
            former = self._store.document(built.document.id)
            if former is not None:
                self._parts.forget_terms(former)
            # Store the terms before the document: otherwise a kill between the two would lose the terms of a finished
            # document.
            self._parts.offer(built.mined)
            reading = IngestionDetails(
                recipe=self._parts.recipe,
                modified_ns=plan.modified_ns,
                mined=built.mined,
                report=built.report.stored(),
                started_at=built.began,
            )
            self._store.replace_document(
                built.document, built.chunks, built.vectors, embedder=self._parts.embedder.name, details=reading
            )

        await asyncio.to_thread(store)
        seconds = time.monotonic() - started
        report = built.report
        phases = {**report.phases, "storing": seconds}
        self._tell(replace(report, phases=phases, seconds=report.seconds + seconds), was_read=True)

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
                self._parts.drop_document(former, f"its file now has the same content as {twin.path}")
            self._ledger.note_duplicate(
                plan.document_id, twin, path=file.place, size_bytes=plan.size_bytes, modified_ns=plan.modified_ns
            )

        await asyncio.to_thread(note)
        self._tell_short(file, "duplicate", plan.document_id, f"the same content as {twin.path}", started)

    def _tell_short(self, file: FoundFile, status: FileStatus, document_id: str, reason: str, started: float) -> None:
        seconds = time.monotonic() - started
        self._tell(FileReport(path=file.place, status=status, document_id=document_id, reason=reason, seconds=seconds))

    async def fail(self, file: FoundFile, reason: str, started: float) -> None:
        """Record that a file could not be processed, and why; an earlier stored version stays."""
        seconds = time.monotonic() - started
        report = FileReport(path=file.place, status="failed", reason=reason, seconds=seconds)

        def note() -> str:
            document_id = self._ledger.id_for(file.place)
            self._ledger.fail(document_id, reason, path=file.place, group=self._group, report=report.stored())
            return document_id

        document_id = await finish(asyncio.to_thread(note))
        self._tell(replace(report, document_id=document_id), was_read=True)
