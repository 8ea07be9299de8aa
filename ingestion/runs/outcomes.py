"""The outcome of each file: stored, kept, moved, a duplicate or failed; written to the library and reported."""

import time
from dataclasses import replace
from typing import Literal

from contracts.documents import IngestionDetails
from ingestion.files.found_files import FoundFile
from ingestion.reports import FileReport, FileStatus
from ingestion.runs.build import Built
from ingestion.runs.parts import Parts
from ingestion.runs.plan import Plan


class FileOutcomes:
    """Writes the outcomes of files into the library. Blocking; each call returns the report of its file."""

    def __init__(self, parts: Parts, group: str) -> None:
        self._parts = parts
        self._store = parts.store
        self._ledger = parts.store.ledger
        self._group = group

    def settle(self, file: FoundFile, plan: Plan, built: Built | None) -> FileReport:
        """Store the built document, or record that a file is unchanged, moved, regrouped or a duplicate."""
        if built is not None:
            self._store_built(built, plan)
            return built.report
        status: FileStatus = "unchanged"
        reason = ""
        if plan.action == "keep":
            record = self._ledger.record(plan.document_id)
            if record is not None:
                self._ledger.note_unchanged(record, plan.modified_ns)
        elif plan.action == "duplicate":
            status, reason = "duplicate", self._note_duplicate(file, plan)
        else:
            outcome: Literal["moved", "regrouped"] = "moved" if plan.action == "move" else "regrouped"
            status, reason = outcome, self._relocate(file, plan, outcome)
        return FileReport(path=file.place, status=status, document_id=plan.document_id, reason=reason)

    def fail(self, file: FoundFile, reason: str, started: float) -> FileReport:
        """Record that a file could not be processed, and why; an earlier stored version stays."""
        document_id = self._ledger.id_for(file.place)
        seconds = time.monotonic() - started
        report = FileReport(path=file.place, status="failed", document_id=document_id, reason=reason, seconds=seconds)
        self._ledger.fail(document_id, reason, path=file.place, group=self._group, report=report.stored())
        return report

    def _store_built(self, built: Built, plan: Plan) -> None:
        former = self._store.document(built.document.id)
        if former is not None:
            self._parts.forget_terms(former)
        # Store the terms before the document: otherwise a kill between the two would lose the terms of a finished
        # document.
        self._parts.offer(built.mined)
        details = IngestionDetails(
            recipe=self._parts.recipe,
            modified_ns=plan.modified_ns,
            mined=built.mined,
            report=built.report.stored(),
            started_at=built.began,
        )
        self._store.replace_document(
            built.document, built.chunks, built.vectors, embedder=self._parts.embedder.name, details=details
        )

    def _relocate(self, file: FoundFile, plan: Plan, outcome: Literal["moved", "regrouped"]) -> str:
        """Change the path or the group of a stored document, or both; return a text that names the former one."""
        former = plan.stored
        assert former is not None
        document = replace(former, path=file.place, name=file.name, group=self._group)
        reason = f"it was at {former.path}" if outcome == "moved" else f"it was for the readers of {former.group}"
        if document.name != former.name:
            self._parts.forget_terms(former)
            mined = self._ledger.mined_from(former.id)
            self._parts.offer([replace(term, document=document.name) for term in mined])
        self._store.relocate_document(document, outcome=outcome, reason=reason, modified_ns=plan.modified_ns)
        return reason

    def _note_duplicate(self, file: FoundFile, plan: Plan) -> str:
        twin = plan.stored
        assert twin is not None
        former = self._store.document(plan.document_id)
        if former is not None:
            self._parts.drop_document(former, f"its file now has the same content as {twin.path}")
        self._ledger.note_duplicate(
            plan.document_id, twin, path=file.place, size_bytes=plan.size_bytes, modified_ns=plan.modified_ns
        )
        return f"the same content as {twin.path}"
