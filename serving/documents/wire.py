"""Documents, histories, jobs and proofs as they stand on the wire."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ingestion.jobs import Job
from ingestion.reports import encodable, event_values
from library.values import DocumentReport, FileRecord, HistoryEntry, RemovalProof


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class IngestRequest(_Closed):
    """Files and folders of the server to ingest."""

    paths: list[str] = Field(min_length=1, max_length=1_000)
    group: str = "everyone"
    prune: bool = False
    check_content: bool = False


class PoorPageWire(_Closed):
    """A page that a person should look at."""

    page: int
    reason: str
    confidence: float | None


class ReportWire(_Closed):
    """What one reading of a document gave."""

    pages: int
    ocr_pages: int
    tables: int
    chunks: int
    mined_terms: int
    warnings: list[str]
    poor_pages: list[PoorPageWire]
    seconds: float
    phases: dict[str, float]


class EntryWire(_Closed):
    """One ingestion of a document."""

    outcome: str
    reason: str
    path: str
    content_hash: str
    started_at: datetime
    finished_at: datetime
    report: ReportWire


class DocumentWire(_Closed):
    """A file that ingestion has seen, and whether a version of it answers."""

    id: str
    path: str
    state: str
    reason: str
    answers: bool
    group: str
    title: str
    pages: int
    size_bytes: int
    content_hash: str
    changed_at: datetime


class DocumentDetails(DocumentWire):
    """A document with its history, oldest first."""

    history: list[EntryWire]


class DocumentPage(_Closed):
    """A page of documents; ``next`` is what to ask for as ``after``, None behind the last page."""

    documents: list[DocumentWire]
    next: str | None


class JobWire(_Closed):
    """An ingestion in the background; ``events`` is where it can be watched."""

    id: str
    state: str
    reason: str
    paths: list[str]
    group: str
    who: str
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: dict[str, Any] | None
    counts: dict[str, int]
    events: str


class CopyWire(_Closed):
    """Another file of a content that was removed; one that does not answer is read at the next ingestion."""

    id: str
    path: str
    answers: bool


class ProofWire(_Closed):
    """What was removed; ``gone`` says that no search of any index finds it, ``problems`` where one does.

    ``copies`` are the other files of the same content, of the groups that the asker may read.
    """

    id: str
    path: str
    chunks: int
    vectors: int
    searched_again: int
    gone: bool
    problems: list[str]
    copies: list[CopyWire]


def document_wire(record: FileRecord) -> DocumentWire:
    """Return a record for the wire."""
    return DocumentWire(**_document_values(record))


def details_wire(record: FileRecord, history: tuple[HistoryEntry, ...]) -> DocumentDetails:
    """Return a record with its history for the wire."""
    return DocumentDetails(**_document_values(record), history=[_entry_wire(entry) for entry in history])


def job_wire(job: Job, prefix: str) -> JobWire:
    """Return a job for the wire; ``prefix`` is where the documents' routes are."""
    progress = event_values(job.progress) if job.progress is not None and not job.is_over else None
    return JobWire(
        id=job.id,
        state=job.state,
        reason=job.reason,
        paths=[encodable(str(path)) for path in job.order.paths],
        group=job.order.group,
        who=job.order.who,
        queued_at=job.queued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        progress=progress,
        counts={} if job.report is None else {str(status): count for status, count in job.report.counts.items()},
        events=f"{prefix}/jobs/{job.id}/events",
    )


def proof_wire(proof: RemovalProof, groups: frozenset[str] | None) -> ProofWire:
    """Return a removal and its proof for the wire, for who may read documents of ``groups`` (None: all)."""
    return ProofWire(
        id=proof.removal.document.id,
        path=encodable(proof.removal.document.path),
        chunks=len(proof.removal.chunk_ids),
        vectors=proof.removal.vectors,
        searched_again=proof.probed,
        gone=not proof.problems,
        problems=list(proof.problems),
        copies=[
            CopyWire(id=copy.document_id, path=encodable(copy.path), answers=copy.answers)
            for copy in proof.copies
            if groups is None or copy.group in groups
        ],
    )


def _document_values(record: FileRecord) -> dict[str, Any]:
    return {
        "id": record.document_id,
        "path": encodable(record.path),
        "state": record.state,
        "reason": record.reason,
        "answers": record.answers,
        "group": record.group,
        "title": record.title,
        "pages": record.pages,
        "size_bytes": record.size_bytes,
        "content_hash": record.content_hash,
        "changed_at": record.changed_at,
    }


def _entry_wire(entry: HistoryEntry) -> EntryWire:
    return EntryWire(
        outcome=entry.outcome,
        reason=entry.reason,
        path=encodable(entry.path),
        content_hash=entry.content_hash,
        started_at=entry.started_at,
        finished_at=entry.finished_at,
        report=_report_wire(entry.report),
    )


def _report_wire(report: DocumentReport) -> ReportWire:
    return ReportWire(
        pages=report.pages,
        ocr_pages=report.ocr_pages,
        tables=report.tables,
        chunks=report.chunks,
        mined_terms=report.mined_terms,
        warnings=list(report.warnings),
        poor_pages=[
            PoorPageWire(page=each.page, reason=each.reason, confidence=each.confidence) for each in report.poor_pages
        ],
        seconds=report.seconds,
        phases=dict(report.phases),
    )
