"""What became of each file, written in the transaction that makes it so; rows to and from values."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, update

from contracts.jargon import MinedTerm
from contracts.text import Document
from library.models import files, ingestions
from library.values import DocumentReport, FileRecord, FileState, HistoryEntry, Outcome, PoorPage, Reading

_COUNTS = ("pages", "ocr_pages", "tables", "chunks", "mined_terms")


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def put_file(
    connection: Connection,
    document_id: str,
    *,
    path: str,
    group: str,
    state: FileState,
    reason: str = "",
    content_hash: str = "",
    size_bytes: int = 0,
    reading: Reading | None = None,
) -> None:
    """Write the row of a file anew."""
    how = reading or Reading()
    connection.execute(delete(files).where(files.c.document_id == document_id))
    row = {
        "document_id": document_id,
        "path": path,
        "access_group": group,
        "state": state,
        "reason": reason,
        "content_hash": content_hash,
        "size_bytes": size_bytes,
        "modified_ns": how.modified_ns,
        "recipe": how.recipe,
        "mined": [asdict(term) for term in how.mined],
        "changed_at": now(),
        "reading_at": None,
    }
    connection.execute(insert(files), [row])


def change_file(connection: Connection, document_id: str, **values: Any) -> None:
    """Change some columns of the row of a file."""
    connection.execute(update(files).where(files.c.document_id == document_id).values(changed_at=now(), **values))


def add_entry(
    connection: Connection,
    document_id: str,
    *,
    path: str,
    content_hash: str,
    outcome: Outcome,
    reason: str = "",
    report: DocumentReport | None = None,
    started_at: datetime | None = None,
) -> None:
    """Add an ingestion to the history of a document."""
    told = report or DocumentReport()
    finished = now()
    row = {
        "document_id": document_id,
        "path": path,
        "content_hash": content_hash,
        "outcome": outcome,
        "reason": reason,
        "started_at": started_at or finished,
        "finished_at": finished,
        "report": _row_of_report(told),
        "seconds": told.seconds,
        "phases": [list(phase) for phase in told.phases],
    }
    connection.execute(insert(ingestions), [row])


def note_ready(connection: Connection, document: Document, reading: Reading) -> None:
    """Note that a version of ``document`` was put in."""
    release_path(connection, document)
    put_file(
        connection,
        document.id,
        path=document.path,
        group=document.group,
        state="ready",
        content_hash=document.content_hash,
        size_bytes=document.size_bytes,
        reading=reading,
    )
    add_entry(
        connection,
        document.id,
        path=document.path,
        content_hash=document.content_hash,
        outcome="ready",
        report=reading.report,
        started_at=reading.started_at,
    )


def release_path(connection: Connection, document: Document) -> None:
    """Drop the rows without a text that stand for the path of ``document``: its own row does so from now on."""
    without_text = files.c.state.in_(("reading", "failed", "duplicate"))
    others = (files.c.path == document.path, files.c.document_id != document.id)
    connection.execute(delete(files).where(*others, without_text))


def with_phase(report: DocumentReport, name: str, seconds: float) -> DocumentReport:
    """Return ``report`` with another phase, whose seconds count for the whole."""
    return replace(report, seconds=report.seconds + seconds, phases=(*report.phases, (name, seconds)))


def note_removed(connection: Connection, document: Document, reason: str) -> None:
    """Note that ``document`` was removed; nothing of its text is kept."""
    put_file(
        connection,
        document.id,
        path=document.path,
        group=document.group,
        state="removed",
        reason=reason,
        content_hash=document.content_hash,
        size_bytes=document.size_bytes,
    )
    # Warnings may quote the document.
    own = ingestions.c.document_id == document.id
    for row in connection.execute(ingestions.select().where(own)).all():
        bare = {**row.report, "warnings": [], "poor_pages": []}
        connection.execute(update(ingestions).where(ingestions.c.number == row.number).values(report=bare))
    add_entry(
        connection,
        document.id,
        path=document.path,
        content_hash=document.content_hash,
        outcome="removed",
        reason=reason,
    )


def record_of(row: Row[Any]) -> FileRecord:
    """Return the record that stands in a row of files joined to documents."""
    answers = row.stored_pages is not None
    return FileRecord(
        document_id=row.document_id,
        path=row.path,
        group=row.access_group,
        state="reading" if row.reading_at is not None else row.state,
        reason=row.reason,
        content_hash=row.content_hash,
        size_bytes=row.size_bytes,
        modified_ns=row.modified_ns,
        recipe=row.recipe,
        changed_at=row.changed_at,
        answers=answers,
        title=row.title or "",
        pages=row.stored_pages or 0,
    )


def entry_of(row: Row[Any]) -> HistoryEntry:
    """Return the ingestion that stands in a row."""
    return HistoryEntry(
        document_id=row.document_id,
        path=row.path,
        content_hash=row.content_hash,
        outcome=row.outcome,
        reason=row.reason,
        started_at=row.started_at,
        finished_at=row.finished_at,
        report=_report_of(row),
    )


def mined_of(stored: Sequence[dict[str, Any]]) -> tuple[MinedTerm, ...]:
    """Return the mined terms that stand in a column."""
    return tuple(MinedTerm(**each) for each in stored)


def _row_of_report(report: DocumentReport) -> dict[str, Any]:
    return {
        **{name: getattr(report, name) for name in _COUNTS},
        "warnings": list(report.warnings),
        "poor_pages": [[each.page, each.reason, each.confidence] for each in report.poor_pages],
    }


def _report_of(row: Row[Any]) -> DocumentReport:
    stored = row.report
    poor = stored.get("poor_pages", ())
    return DocumentReport(
        **{name: stored.get(name, 0) for name in _COUNTS},
        warnings=tuple(stored.get("warnings", ())),
        poor_pages=tuple(PoorPage(page=page, reason=reason, confidence=mean) for page, reason, mean in poor),
        seconds=row.seconds,
        phases=tuple((name, seconds) for name, seconds in row.phases),
    )
