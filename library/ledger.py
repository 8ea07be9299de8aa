"""The ledger: what became of each file that ingestion has seen, and when."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from sqlalchemy import Engine, Select, delete, func, select, update

from contracts.jargon import MinedTerm
from contracts.text import Document
from database.session import reading, writing
from library.ledger_rows import (
    add_entry,
    change_file,
    entry_of,
    mined_of,
    now,
    put_file,
    record_of,
)
from library.models import documents, files, ingestions
from library.rows import document_of
from library.values import DocumentReport, FileRecord, FileState, HistoryEntry, PoorPage, Reading

_PATHS_A_QUERY = 500
# All but what was mined: a listing need not read that.
_COLUMNS = (
    *(column for column in files.c if column.name != "mined"),
    documents.c.title,
    documents.c.pages.label("stored_pages"),
)


class IngestionLedger:
    """Keeps a row for each file, and a history of its ingestions. Blocking and thread-safe; each call is a transaction.

    Documents are put in, moved and removed by ``LibraryStore``, which writes here in the same transaction. Every method
    raises ``Unavailable`` where the database cannot be used just now.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, document_id: str) -> FileRecord | None:
        """Return the record with this document id, or None."""
        return self._first(select_records().where(files.c.document_id == document_id))

    def record_at(self, path: str) -> FileRecord | None:
        """Return the record of the file at the absolute ``path``; of one that is gone only where there is no other."""
        removed = files.c.state == "removed"
        return self._first(select_records().where(files.c.path == path).order_by(removed, files.c.document_id))

    def records_at(self, paths: Sequence[str]) -> dict[str, FileRecord]:
        """Return the records of the files at these paths that are not removed, by path."""
        found: dict[str, FileRecord] = {}
        with reading(self._engine) as connection:
            for start in range(0, len(paths), _PATHS_A_QUERY):
                some = files.c.path.in_(paths[start : start + _PATHS_A_QUERY])
                for row in connection.execute(select_records().where(some, files.c.state != "removed")):
                    found[row.path] = record_of(row)
        return found

    def records(
        self,
        *,
        state: FileState | None = None,
        groups: frozenset[str] | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FileRecord, ...]:
        """Return the records by path: those in ``state`` (None: all but the removed), of ``groups`` (None: all).

        ``after`` is the path behind which a page of ``limit`` records begins.
        """
        query = select_records().where(files.c.path > after).order_by(files.c.path, files.c.document_id)
        if state == "reading":
            query = query.where(files.c.reading_at.is_not(None))
        elif state is None:
            query = query.where(files.c.state != "removed")
        else:
            query = query.where(files.c.state == state, files.c.reading_at.is_(None))
        if groups is not None:
            query = query.where(files.c.access_group.in_(sorted(groups)))
        with reading(self._engine) as connection:
            return tuple(record_of(row) for row in connection.execute(query.limit(limit)))

    def counts(self) -> dict[str, int]:
        """Count the files by state."""
        query = select(files.c.state, func.count()).group_by(files.c.state).order_by(files.c.state)
        with reading(self._engine) as connection:
            return {state: int(count) for state, count in connection.execute(query)}

    def history(self, document_id: str) -> tuple[HistoryEntry, ...]:
        """Return every ingestion of a document, oldest first."""
        query = select(ingestions).where(ingestions.c.document_id == document_id).order_by(ingestions.c.number)
        with reading(self._engine) as connection:
            return tuple(entry_of(row) for row in connection.execute(query))

    def poor_pages(self, document_ids: Sequence[str]) -> dict[str, tuple[PoorPage, ...]]:
        """Return the poorly read pages of the stored version of each document that has any."""
        found: dict[str, tuple[PoorPage, ...]] = {}
        query = select(ingestions).where(ingestions.c.outcome == "ready").order_by(ingestions.c.number)
        with reading(self._engine) as connection:
            for start in range(0, len(document_ids), _PATHS_A_QUERY):
                some = ingestions.c.document_id.in_(document_ids[start : start + _PATHS_A_QUERY])
                for row in connection.execute(query.where(some)):
                    # The last reading is that of the stored version.
                    found[row.document_id] = entry_of(row).report.poor_pages
        return {document_id: pages for document_id, pages in found.items() if pages}

    def with_content(self, content_hash: str) -> tuple[Document, ...]:
        """Return the documents that hold this content, by path."""
        query = select(documents).where(documents.c.content_hash == content_hash).order_by(documents.c.path)
        with reading(self._engine) as connection:
            return tuple(document_of(row) for row in connection.execute(query))

    def copies_of(self, document: Document) -> tuple[FileRecord, ...]:
        """Return the records of the other files of the content of ``document``, by path: documents and duplicates."""
        duplicate = (files.c.state == "duplicate") & (files.c.content_hash == document.content_hash)
        query = select_records().where(
            duplicate | (documents.c.content_hash == document.content_hash), files.c.document_id != document.id
        )
        with reading(self._engine) as connection:
            return tuple(record_of(row) for row in connection.execute(query.order_by(files.c.path)))

    def mined_from(self, document_id: str) -> tuple[MinedTerm, ...]:
        """Return the terms that were mined from the stored version of a document."""
        query = select(files.c.mined).where(files.c.document_id == document_id)
        with reading(self._engine) as connection:
            stored = connection.execute(query).scalar()
        return mined_of(stored or ())

    def namesakes(self, document: Document) -> tuple[str, ...]:
        """Return the ids of the other documents whose files have the same name."""
        query = select(documents.c.id).where(documents.c.name == document.name, documents.c.id != document.id)
        with reading(self._engine) as connection:
            return tuple(connection.execute(query.order_by(documents.c.id)).scalars())

    def id_for(self, path: str) -> str:
        """Return the id of the document at an absolute path: that of its record, else one that nobody else has.

        A document that moved keeps its id; a new one at its old path gets another.
        """
        found = self.record_at(path)
        if found is not None:
            return found.document_id
        number = 0
        while True:
            salted = path if not number else f"{path}\n{number}"
            candidate = hashlib.sha256(salted.encode("utf-8", "surrogateescape")).hexdigest()[:16]
            if self.record(candidate) is None:
                return candidate
            number += 1

    def begin(self, document_id: str, path: str, group: str) -> None:
        """Note that a file is being read."""
        with writing(self._engine) as connection:
            if connection.execute(select(files.c.state).where(files.c.document_id == document_id)).first() is None:
                put_file(connection, document_id, path=path, group=group, state="reading")
            connection.execute(update(files).where(files.c.document_id == document_id).values(reading_at=now()))

    def end_readings(self) -> None:
        """Take back what an interrupted run left: files that it had begun to read."""
        with writing(self._engine) as connection:
            connection.execute(delete(files).where(files.c.state == "reading"))
            connection.execute(update(files).where(files.c.reading_at.is_not(None)).values(reading_at=None))

    def fail(
        self, document_id: str, reason: str, *, path: str, group: str, content_hash: str = "", report: DocumentReport
    ) -> None:
        """Note that a file could not be read. An earlier version of it stays; the same failure again is noted once."""
        with writing(self._engine) as connection:
            former = connection.execute(select_records().where(files.c.document_id == document_id)).first()
            again = (
                former is not None
                and former.state == "failed"
                and (former.reason, former.content_hash) == (reason, content_hash)
            )
            if former is None or former.state in ("reading", "removed"):
                put_file(
                    connection,
                    document_id,
                    path=path,
                    group=group,
                    state="failed",
                    reason=reason,
                    content_hash=content_hash,
                )
            else:
                change_file(
                    connection,
                    document_id,
                    state="failed",
                    reason=reason,
                    content_hash=content_hash,
                    reading_at=None,
                )
            if not again:
                add_entry(
                    connection,
                    document_id,
                    path=path,
                    content_hash=content_hash,
                    outcome="failed",
                    reason=reason,
                    report=report,
                )

    def note_duplicate(self, document_id: str, of: Document, *, path: str, size_bytes: int, modified_ns: int) -> None:
        """Note that the document ``of`` answers for a file, which has its content."""
        with writing(self._engine) as connection:
            reason = f"the same content as {of.path}"
            former = connection.execute(select_records().where(files.c.document_id == document_id)).first()
            put_file(
                connection,
                document_id,
                path=path,
                group=of.group,
                state="duplicate",
                reason=reason,
                content_hash=of.content_hash,
                size_bytes=size_bytes,
                reading=Reading(modified_ns=modified_ns),
            )
            if former is None or (former.state, former.content_hash) != ("duplicate", of.content_hash):
                add_entry(
                    connection,
                    document_id,
                    path=path,
                    content_hash=of.content_hash,
                    outcome="duplicate",
                    reason=reason,
                )

    def note_unchanged(self, record: FileRecord, modified_ns: int) -> None:
        """Note the time of change of a file whose content is what it was."""
        with writing(self._engine) as connection:
            state = "ready" if record.answers else record.state
            change_file(connection, record.document_id, state=state, reason="", modified_ns=modified_ns)

    def drop(self, document_id: str) -> None:
        """Forget a file that never was read, with its history."""
        with writing(self._engine) as connection:
            connection.execute(delete(files).where(files.c.document_id == document_id))
            connection.execute(delete(ingestions).where(ingestions.c.document_id == document_id))

    def unread(self) -> Iterator[FileRecord]:
        """Yield the records of the files of which no version is in the library, the removed ones aside, by path."""
        query = select_records().where(documents.c.id.is_(None), files.c.state != "removed").order_by(files.c.path)
        with reading(self._engine) as connection:
            found = [record_of(row) for row in connection.execute(query)]
        yield from found

    def _first(self, query: Select[Any]) -> FileRecord | None:
        with reading(self._engine) as connection:
            row = connection.execute(query.limit(1)).first()
        return record_of(row) if row else None


def select_records() -> Select[Any]:
    """Return the query for records, each a row of files beside what is stored of its document."""
    return select(*_COLUMNS).select_from(files.outerjoin(documents, documents.c.id == files.c.document_id))


def suffix_of(path: str) -> str:
    """Return the lower-case suffix of a path, which decides how its content is read."""
    return PurePath(path).suffix.lower()
