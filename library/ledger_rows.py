"""Writes rows of the ledger in the transaction of each change, and converts rows to values."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, update

from contracts.documents import DocumentReport, FileRecord, HistoryEntry, IngestionDetails, IngestionOutcome
from contracts.text import Document
from library.tables import files, ingestions

_EMPTY = {"reason": "", "content_hash": "", "size_bytes": 0, "modified_ns": 0, "recipe": "", "mined": []}


def put_file(connection: Connection, document_id: str, **values: Any) -> None:
    """Replace the row of a file; columns without a value become empty."""
    connection.execute(delete(files).where(files.c.document_id == document_id))
    row = {**_EMPTY, "document_id": document_id, "changed_at": datetime.now(UTC), **values}
    connection.execute(insert(files), [row])


def change_file(connection: Connection, document_id: str, **values: Any) -> None:
    """Change some columns in the row of a file."""
    change = update(files).where(files.c.document_id == document_id)
    connection.execute(change.values(changed_at=datetime.now(UTC), **values))


def add_entry(
    connection: Connection,
    document_id: str,
    *,
    path: str,
    content_hash: str,
    outcome: IngestionOutcome,
    reason: str = "",
    report: DocumentReport = DocumentReport(),  # noqa: B008 - a frozen value
    started_at: datetime | None = None,
) -> None:
    """Add an ingestion to the history of a document."""
    finished = datetime.now(UTC)
    row = {
        "document_id": document_id,
        "path": path,
        "content_hash": content_hash,
        "outcome": outcome,
        "reason": reason,
        "started_at": started_at or finished,
        "finished_at": finished,
        "report": report.model_dump(),
    }
    connection.execute(insert(ingestions), [row])


def note_ready(connection: Connection, document: Document, details: IngestionDetails) -> None:
    """Record that a version of ``document`` was stored."""
    release_path(connection, document)
    how: dict[str, Any] = {"modified_ns": details.modified_ns, "recipe": details.recipe}
    mined = [asdict(term) for term in details.mined]
    put_file(connection, document.id, state="ready", mined=mined, **how, **_place_of(document))
    add_entry(
        connection,
        document.id,
        path=document.path,
        content_hash=document.content_hash,
        outcome="ready",
        report=details.report,
        started_at=details.started_at,
    )


def release_path(connection: Connection, document: Document) -> None:
    """Delete the rows of other files at the path of ``document`` that have no stored version."""
    without_text = files.c.state.in_(("reading", "failed", "duplicate"))
    others = (files.c.path == document.path, files.c.document_id != document.id)
    connection.execute(delete(files).where(*others, without_text))


def note_removed(connection: Connection, document: Document, reason: str) -> None:
    """Record that ``document`` was removed; none of its text is kept."""
    put_file(connection, document.id, state="removed", reason=reason, **_place_of(document))
    # Reports are cleared because warnings may quote the document.
    own = ingestions.c.document_id == document.id
    for row in connection.execute(ingestions.select().where(own)).all():
        bare = {**row.report, "warnings": [], "poor_pages": []}
        connection.execute(update(ingestions).where(ingestions.c.number == row.number).values(report=bare))
    content: dict[str, Any] = {"path": document.path, "content_hash": document.content_hash}
    add_entry(connection, document.id, outcome="removed", reason=reason, **content)


def record_of(row: Row[Any]) -> FileRecord:
    """Return the record in a row of the query that joins files with documents."""
    state = "reading" if row.reading_at is not None else row.state
    stored = {"answers": row.stored_pages is not None, "title": row.title or "", "pages": row.stored_pages or 0}
    return FileRecord.model_validate({**row._mapping, **stored, "group": row.access_group, "state": state})


def entry_of(row: Row[Any]) -> HistoryEntry:
    """Return the ingestion in a row."""
    return HistoryEntry.model_validate(dict(row._mapping))


def _place_of(document: Document) -> dict[str, Any]:
    return {
        "path": document.path,
        "access_group": document.group,
        "content_hash": document.content_hash,
        "size_bytes": document.size_bytes,
    }
