"""The ingestion ledger: the state and history of each file that ingestion has seen."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, delete, func, or_, select, true, update

from contracts.documents import CatalogueState, DocumentReport, FileRecord, HistoryEntry, PoorPage
from contracts.jargon import MinedTerm
from contracts.text import Document
from database.statements import in_batches
from database.transactions import reading, writing
from library.ledger_rows import add_entry, change_file, entry_of, put_file, record_of
from library.rows import document_of
from library.tables import documents, files, ingestions

# All columns except the mined terms, which listings do not need.
_COLUMNS = (
    *(column for column in files.c if column.name != "mined"),
    documents.c.title,
    documents.c.pages.label("stored_pages"),
)
_STATES: tuple[CatalogueState, ...] = ("ready", "poor", "reading", "failed", "duplicate", "removed")


class IngestionLedger:
    """Stores a row for each file, and the history of its ingestions. The calls block and are thread-safe; each is one
    transaction.

    ``LibraryStore`` stores, moves and deletes documents, and updates the ledger in the same transaction. All methods
    raise ``Unavailable`` if the database cannot be used.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, document_id: str) -> FileRecord | None:
        """Return the record with this document id, or None."""
        return self._first(select_records().where(files.c.document_id == document_id))

    def record_at(self, path: str) -> FileRecord | None:
        """Return the record of the file at the absolute ``path``; a removed one only if there is no other."""
        removed = files.c.state == "removed"
        return self._first(select_records().where(files.c.path == path).order_by(removed, files.c.document_id))

    def records_at(self, paths: Sequence[str]) -> dict[str, FileRecord]:
        """Return the records of the files at these paths, by path; removed files are left out."""
        found: dict[str, FileRecord] = {}
        with reading(self._engine) as connection:
            for batch in in_batches(paths):
                some = files.c.path.in_(batch)
                for row in connection.execute(select_records().where(some, files.c.state != "removed")):
                    found[row.path] = record_of(row)
        return found

    def records(
        self,
        *,
        text: str = "",
        state: CatalogueState | None = None,
        groups: frozenset[str] | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FileRecord, ...]:
        """Return the records in ``state`` (None: all except removed) and of ``groups`` (None: all), sorted by path.

        ``text`` must be in the path or title, in any letter case. A page has ``limit`` records and begins after the
        path ``after``.
        """
        query = select_records().where(files.c.path > after, _sought(text, groups), _standing(state))
        return self._records(query.order_by(files.c.path, files.c.document_id).limit(limit))

    def totals(self, *, text: str = "", groups: frozenset[str] | None = None) -> dict[CatalogueState, int]:
        """Count the results of ``records`` by state. Poorly read files also count as ready."""
        joined = files.outerjoin(documents, documents.c.id == files.c.document_id)
        counts = [func.count().filter(_standing(state)).label(state) for state in _STATES]
        query = select(*counts).select_from(joined).where(_sought(text, groups))
        with reading(self._engine) as connection:
            row = connection.execute(query).one()
        return {state: int(getattr(row, state)) for state in _STATES}

    def groups(self) -> tuple[str, ...]:
        query = select(files.c.access_group).distinct().order_by(files.c.access_group)
        with reading(self._engine) as connection:
            return tuple(connection.execute(query.where(files.c.state != "removed")).scalars())

    def history(self, document_id: str) -> tuple[HistoryEntry, ...]:
        """Return all ingestions of a document, oldest first."""
        query = select(ingestions).where(ingestions.c.document_id == document_id).order_by(ingestions.c.number)
        with reading(self._engine) as connection:
            return tuple(entry_of(row) for row in connection.execute(query))

    def poor_pages(self, document_ids: Sequence[str]) -> dict[str, tuple[PoorPage, ...]]:
        """Return the poorly read pages in the stored versions of documents, for documents that have any."""
        found: dict[str, tuple[PoorPage, ...]] = {}
        query = select(ingestions).where(ingestions.c.outcome == "ready").order_by(ingestions.c.number)
        with reading(self._engine) as connection:
            for batch in in_batches(document_ids):
                some = ingestions.c.document_id.in_(batch)
                for row in connection.execute(query.where(some)):
                    # The rows are in order, so the last one belongs to the stored version.
                    found[row.document_id] = entry_of(row).report.poor_pages
        return {document_id: pages for document_id, pages in found.items() if pages}

    def with_content(self, content_hash: str) -> tuple[Document, ...]:
        """Return the documents with this content, sorted by path."""
        query = select(documents).where(documents.c.content_hash == content_hash).order_by(documents.c.path)
        with reading(self._engine) as connection:
            return tuple(document_of(row) for row in connection.execute(query))

    def copies_of(self, document: Document) -> tuple[FileRecord, ...]:
        """Return the records of other files (documents and duplicates) with the content of ``document``, by path."""
        duplicate = (files.c.state == "duplicate") & (files.c.content_hash == document.content_hash)
        query = select_records().where(
            duplicate | (documents.c.content_hash == document.content_hash), files.c.document_id != document.id
        )
        return self._records(query.order_by(files.c.path))

    def mined_from(self, document_id: str) -> tuple[MinedTerm, ...]:
        """Return the terms that were mined from the stored version of a document."""
        query = select(files.c.mined).where(files.c.document_id == document_id)
        with reading(self._engine) as connection:
            return tuple(MinedTerm(**each) for each in connection.execute(query).scalar() or ())

    def namesakes(self, document: Document) -> tuple[str, ...]:
        """Return the ids of the other documents whose files have the same name."""
        query = select(documents.c.id).where(documents.c.name == document.name, documents.c.id != document.id)
        with reading(self._engine) as connection:
            return tuple(connection.execute(query.order_by(documents.c.id)).scalars())

    def id_for(self, path: str) -> str:
        """Return the id of the document at an absolute path, from its record or else a new unique id.

        A moved document keeps its id; a new document at its old path gets a different one.
        """
        found = self.record_at(path)
        if found is not None:
            return found.document_id
        number = 0
        while True:
            salted = path if not number else f"{path}\n{number}"
            candidate = hashlib.sha256(salted.encode("utf-8", "surrogateescape")).hexdigest()[:16]
            # Another process may have started to read the same file since the query above.
            taken = self.record(candidate)
            if taken is None or taken.path == path:
                return candidate
            number += 1

    def begin(self, document_id: str, path: str, group: str) -> None:
        """Record that a file is being read."""
        with writing(self._engine) as connection:
            if connection.execute(select(files.c.state).where(files.c.document_id == document_id)).first() is None:
                put_file(connection, document_id, path=path, access_group=group, state="reading")
            mark = update(files).where(files.c.document_id == document_id)
            connection.execute(mark.values(reading_at=datetime.now(UTC)))

    def end_readings(self) -> frozenset[str]:
        """Reset files that an interrupted run had started to read, and return their paths."""
        with writing(self._engine) as connection:
            paths = connection.execute(select(files.c.path).where(files.c.reading_at.is_not(None))).scalars().all()
            connection.execute(delete(files).where(files.c.state == "reading"))
            connection.execute(update(files).where(files.c.reading_at.is_not(None)).values(reading_at=None))
        return frozenset(paths)

    def fail(self, document_id: str, reason: str, *, path: str, group: str, report: DocumentReport) -> None:
        """Record that a file could not be read. An earlier version is kept; repeated failures are recorded once."""
        now: dict[str, Any] = {"state": "failed", "reason": reason, "content_hash": ""}
        with writing(self._engine) as connection:
            former = connection.execute(select_records().where(files.c.document_id == document_id)).first()
            if former is None or former.state in ("reading", "removed"):
                put_file(connection, document_id, path=path, access_group=group, **now)
            else:
                change_file(connection, document_id, reading_at=None, **now)
            if former is None or {name: getattr(former, name) for name in now} != now:
                add_entry(
                    connection, document_id, path=path, content_hash="", outcome="failed", reason=reason, report=report
                )

    def note_duplicate(self, document_id: str, of: Document, *, path: str, size_bytes: int, modified_ns: int) -> None:
        """Record that a file has the same content as the document ``of``."""
        fields: dict[str, Any] = {
            "path": path,
            "content_hash": of.content_hash,
            "reason": f"the same content as {of.path}",
        }
        with writing(self._engine) as connection:
            former = connection.execute(select_records().where(files.c.document_id == document_id)).first()
            size = {"size_bytes": size_bytes, "modified_ns": modified_ns}
            put_file(connection, document_id, access_group=of.group, state="duplicate", **fields, **size)
            if former is None or (former.state, former.content_hash) != ("duplicate", of.content_hash):
                add_entry(connection, document_id, outcome="duplicate", **fields)

    def note_unchanged(self, record: FileRecord, modified_ns: int) -> None:
        """Record the modification time of a file whose content has not changed."""
        with writing(self._engine) as connection:
            state = "ready" if record.answers else record.state
            change_file(connection, record.document_id, state=state, reason="", modified_ns=modified_ns)

    def outdate(self, document_id: str) -> None:
        """Mark a file, so that the next ingestion reads it even if it is unchanged."""
        with writing(self._engine) as connection:
            change_file(connection, document_id, recipe="")

    def drop(self, document_id: str) -> None:
        """Delete the record and history of a file that was never read."""
        with writing(self._engine) as connection:
            connection.execute(delete(files).where(files.c.document_id == document_id))
            connection.execute(delete(ingestions).where(ingestions.c.document_id == document_id))

    def unread(self) -> tuple[FileRecord, ...]:
        """Return the records of files without a version in the library, sorted by path; removed files are left out."""
        query = select_records().where(documents.c.id.is_(None), files.c.state != "removed")
        return self._records(query.order_by(files.c.path))

    def _records(self, query: Select[Any]) -> tuple[FileRecord, ...]:
        with reading(self._engine) as connection:
            return tuple(record_of(row) for row in connection.execute(query))

    def _first(self, query: Select[Any]) -> FileRecord | None:
        return next(iter(self._records(query.limit(1))), None)


def select_records() -> Select[Any]:
    """Return the query for records, which joins files with their documents."""
    return select(*_COLUMNS).select_from(files.outerjoin(documents, documents.c.id == files.c.document_id))


def suffix_of(path: str) -> str:
    """Return the lowercase suffix of a path, which selects its reader."""
    return PurePath(path).suffix.lower()


def _sought(text: str, groups: frozenset[str] | None) -> ColumnElement[bool]:
    wanted: list[ColumnElement[bool]] = []
    if text:
        # SQLite ignores letter case only for ASCII.
        forms = dict.fromkeys((text, text.lower(), text.upper(), text.title()))
        columns = (files.c.path, documents.c.title)
        wanted.append(or_(*(column.icontains(form, autoescape=True) for column in columns for form in forms)))
    if groups is not None:
        wanted.append(files.c.access_group.in_(sorted(groups)))
    return and_(true(), *wanted)


def _standing(state: CatalogueState | None) -> ColumnElement[bool]:
    if state is None:
        return files.c.state != "removed"
    if state == "reading":
        return files.c.reading_at.is_not(None)
    if state == "poor":
        return and_(_standing("ready"), files.c.document_id.in_(_poor()))
    return and_(files.c.state == state, files.c.reading_at.is_(None))


def _poor() -> Select[Any]:
    """Select the documents whose last reading, which made the stored version, has poor pages."""
    last = select(func.max(ingestions.c.number)).where(ingestions.c.outcome == "ready")
    last = last.group_by(ingestions.c.document_id)
    told = ingestions.c.report["poor_pages"].as_string()
    return select(ingestions.c.document_id).where(ingestions.c.number.in_(last), told.is_not(None), told != "[]")
