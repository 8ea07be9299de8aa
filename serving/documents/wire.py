"""Documents, histories, jobs and proofs as they stand on the wire."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.jargon import MinedTerm
from contracts.text import Chunk
from ingestion.jobs import Job
from ingestion.reports import encodable, event_values
from library.values import DocumentReport, FileRecord, HistoryEntry, RemovalProof

_SUMMARIES, _TERMS, _FAILURES = 50, 200, 200


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
    """A file that ingestion has seen, and whether a version of it answers.

    ``poor_pages`` counts the pages of that version which were read poorly.
    """

    id: str
    path: str
    state: str
    reason: str
    answers: bool
    group: str
    title: str
    pages: int
    poor_pages: int
    size_bytes: int
    content_hash: str
    changed_at: datetime


class SummaryWire(_Closed):
    """The summary of a section, which begins on ``page``."""

    heading: str
    page: int
    text: str


class MinedTermWire(_Closed):
    """An abbreviation that was found in a document, with the sentence that tells its meaning."""

    term: str
    extended_name: str
    evidence: str
    page: int
    score: float


class DocumentDetails(DocumentWire):
    """A document with its history, oldest first, the summaries of its sections, and the terms found in it."""

    media_type: str
    history: list[EntryWire]
    summaries: list[SummaryWire]
    terms: list[MinedTermWire]


class DocumentPage(_Closed):
    """A page of documents; ``next`` is what to ask for as ``after``, None behind the last page.

    ``totals`` counts by state all that is sought; those with poor pages are among the ready ones, too.
    """

    documents: list[DocumentWire]
    next: str | None
    totals: dict[str, int]


class DocumentChange(_Closed):
    """What is to be another of a document."""

    group: str


class IntakeWire(_Closed):
    """What may be uploaded: formats by suffix, how much and how many files at once, and for whom.

    ``groups`` are those that there are; with ``any_group`` one may also be named that is new.
    """

    suffixes: list[str]
    max_bytes: int
    max_files: int
    groups: list[str]
    any_group: bool


class VerificationWire(_Closed):
    """A comparison of all that is stored; ``faults`` are empty where all agrees."""

    state: str
    who: str
    started_at: datetime
    finished_at: datetime | None
    faults: list[str]
    reason: str


class FailureWire(_Closed):
    """A file that could not be read."""

    path: str
    reason: str


class JobWire(_Closed):
    """An ingestion in the background; ``events`` is where it can be watched, ``failed`` the first of its failures."""

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
    failed: list[FailureWire]
    events: str


class CopyWire(_Closed):
    """Another file of a content that was removed; one that does not answer is read at the next ingestion."""

    id: str
    path: str
    answers: bool


class PageWire(_Closed):
    """A page: its size in points, in which boxes are measured, its picture's size, and where picture and file are."""

    page: int
    pages: int
    width_pt: float
    height_pt: float
    width_px: int
    height_px: int
    picture: str
    file: str


class ProofWire(_Closed):
    """What was removed; ``gone`` says that no search of any index finds it, ``problems`` where one does.

    ``left_in_sql``, ``left_in_vectors`` and ``left_in_words`` are how many of its chunks were found there afterwards.
    ``copies`` are the other files of the same content, of the groups that the asker may read.
    """

    id: str
    path: str
    chunks: int
    vectors: int
    searched_again: int
    left_in_sql: int
    left_in_vectors: int
    left_in_words: int
    gone: bool
    problems: list[str]
    copies: list[CopyWire]


def document_wire(record: FileRecord, poor_pages: int = 0) -> DocumentWire:
    """Return a record, and how many pages of its stored version are poor, for the wire."""
    return DocumentWire(**_document_values(record, poor_pages))


def details_wire(
    record: FileRecord,
    history: Sequence[HistoryEntry],
    *,
    poor_pages: int = 0,
    media_type: str = "",
    chunks: Sequence[Chunk] = (),
    terms: Sequence[MinedTerm] = (),
) -> DocumentDetails:
    """Return a record with its history for the wire, and the first of what was made of its text."""
    summaries = [chunk for chunk in chunks if chunk.kind == "summary"]
    return DocumentDetails(
        **_document_values(record, poor_pages),
        media_type=media_type,
        history=[_entry_wire(entry) for entry in history],
        summaries=[
            SummaryWire(heading=" › ".join(each.heading_path), page=each.page, text=each.text)
            for each in sorted(summaries, key=lambda each: each.ordinal)[:_SUMMARIES]
        ],
        terms=[
            MinedTermWire(
                term=each.term,
                extended_name=each.extended_name,
                evidence=each.evidence,
                page=each.page,
                score=each.score,
            )
            for each in terms[:_TERMS]
        ],
    )


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
        failed=[
            FailureWire(path=encodable(file.path), reason=encodable(file.reason))
            for file in (job.report.failed if job.report else ())[:_FAILURES]
        ],
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
        left_in_sql=proof.left_in_sql,
        left_in_vectors=proof.left_in_vectors,
        left_in_words=proof.left_in_words,
        gone=not proof.problems,
        problems=list(proof.problems),
        copies=[
            CopyWire(id=copy.document_id, path=encodable(copy.path), answers=copy.answers)
            for copy in proof.copies
            if groups is None or copy.group in groups
        ],
    )


def _document_values(record: FileRecord, poor_pages: int) -> dict[str, Any]:
    return {
        "id": record.document_id,
        "path": encodable(record.path),
        "state": record.state,
        "reason": record.reason,
        "answers": record.answers,
        "group": record.group,
        "title": record.title,
        "pages": record.pages,
        "poor_pages": poor_pages if record.answers else 0,
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
