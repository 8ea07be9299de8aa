"""Stores documents with their chunks and vectors; each change concerns one document."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, bindparam, delete, func, insert, select, update

from contracts.documents import IngestionDetails, IngestionOutcome
from contracts.errors import InvalidInput, NotFound
from contracts.text import Chunk, Document
from database.statements import in_batches
from database.transactions import reading, writing
from library.ledger import IngestionLedger
from library.ledger_rows import add_entry, change_file, note_ready, note_removed, release_path
from library.lexical_postgresql import index_lexemes
from library.rows import Matrix, chunk_of, document_of, row_of_chunk, row_of_document, vector_rows, vectors_of
from library.tables import chunks, documents, ingestions, library_state, vectors

_Row = Row[*tuple[Any, ...]]

# The number of rows per statement, because one row per statement would be slow.
_ROWS_A_BATCH = 1_000
_VECTORS_A_BATCH = 10_000

SEARCHED_KINDS = frozenset({"passage", "summary"})

# Every search uses this alias; building it each time would take longer than the query.
_SUMMARIES = chunks.alias()
_SUMMARISED_PASSAGES = (
    select(_SUMMARIES.c.id, chunks.c.id)
    .join(chunks, chunks.c.section_id == _SUMMARIES.c.section_id)
    .where(_SUMMARIES.c.id.in_(bindparam("ids", expanding=True)))
    .where(_SUMMARIES.c.kind == "summary", chunks.c.kind == "passage")
    .order_by(chunks.c.ordinal, chunks.c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The chunks (by id) and the number of vectors that were removed with a document."""

    document: Document
    chunk_ids: tuple[str, ...]
    vectors: int


class LibraryStore:
    """Stores documents, chunks and vectors. The calls block and are thread-safe; each is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def ledger(self) -> IngestionLedger:
        return IngestionLedger(self._engine)

    def version(self) -> int:
        """Return a number that increases with each change of the library by any process."""
        return int(self._rows(select(library_state.c.version))[0][0])

    def documents(self, *, groups: frozenset[str] | None = None) -> tuple[Document, ...]:
        """Return the documents of ``groups`` (None: all), sorted by name, then by path."""
        query = select(documents).order_by(documents.c.name, documents.c.path)
        if groups is not None:
            query = query.where(documents.c.access_group.in_(sorted(groups)))
        return tuple(document_of(row) for row in self._rows(query))

    def document(self, document_id: str) -> Document | None:
        return self.documents_of([document_id]).get(document_id)

    def documents_of(self, ids: Collection[str], *, groups: frozenset[str] | None = None) -> dict[str, Document]:
        """Return the documents with these ids in ``groups`` (None: all), by id; other ids are left out."""
        rows = self._rows_in(select(documents), documents.c.id, sorted(ids))
        return {row.id: document_of(row) for row in rows if groups is None or row.access_group in groups}

    def expect_documents(self, ids: Collection[str], *, groups: frozenset[str] | None = None) -> None:
        """Check that ``groups`` (None: all) contain a document for each of these ids. Raises ``NotFound``."""
        if unknown := sorted(set(ids) - self.documents_of(ids, groups=groups).keys()):
            raise NotFound(f"There is no document {unknown[0]!r} in the library.")

    def names_in(self, names: Collection[str], groups: frozenset[str]) -> frozenset[str]:
        """Return the ``names`` for which documents exist that are all in ``groups``."""
        found: dict[str, set[str]] = {}
        query = select(documents.c.name, documents.c.access_group).distinct()
        for name, group in self._rows_in(query, documents.c.name, sorted(names)):
            found.setdefault(name, set()).add(group)
        return frozenset(name for name, of in found.items() if of <= groups)

    def document_at(self, path: str) -> Document | None:
        """Return the document that was read from the absolute ``path``, or None."""
        query = select(documents).where(documents.c.path == path).order_by(documents.c.id).limit(1)
        return next((document_of(row) for row in self._rows(query)), None)

    def replace_document(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        *,
        embedder: str,
        details: IngestionDetails = IngestionDetails(),  # noqa: B008 - a frozen value
    ) -> None:
        """Store ``document`` with its chunks, replacing its old version, in one transaction.

        ``vectors`` has one row for each passage and summary in ``chunks``, in order (shape ``(passages + summaries,
        dimensions)``); ``embedder`` is the name of their model. ``details`` describe how this version was made, for its
        record and history.

        Raises:
            InvalidInput: a vector is not finite.
        """
        searched = [chunk.id for chunk in chunks if chunk.kind in SEARCHED_KINDS]
        if not np.isfinite(vectors).all():
            raise InvalidInput(f"{embedder} returned a vector that is not finite. Nothing was stored.", field="vectors")
        with writing(self._engine) as connection:
            _advance(connection)
            _delete(connection, document.id)
            connection.execute(insert(documents), [row_of_document(document)])
            _insert_chunks(connection, chunks)
            for start in range(0, len(searched), _ROWS_A_BATCH):
                part = slice(start, start + _ROWS_A_BATCH)
                connection.execute(insert(_VECTORS), vector_rows(searched[part], vectors[part], embedder))
            note_ready(connection, document, details)

    def delete_document(self, document_id: str, *, reason: str = "") -> Removal:
        """Delete a document with its chunks, vectors and words in one transaction, and return what was removed.

        The ledger records that it was removed, and the reason.

        Raises:
            NotFound: the document does not exist.
        """
        with writing(self._engine) as connection:
            _advance(connection)
            row = connection.execute(select(documents).where(documents.c.id == document_id)).first()
            if row is None:
                raise NotFound(f"There is no document {document_id!r} in the library.")
            of_document = select(_CHUNKS.c.id).where(_CHUNKS.c.document_id == document_id)
            chunk_ids = tuple(connection.execute(of_document).scalars())
            counted = select(func.count()).select_from(_VECTORS).where(_VECTORS.c.chunk_id.in_(of_document))
            held = int(connection.execute(counted).scalar_one())
            _delete(connection, document_id)
            document = document_of(row)
            note_removed(connection, document, reason)
        return Removal(document=document, chunk_ids=chunk_ids, vectors=held)

    def relocate_document(
        self, document: Document, *, outcome: IngestionOutcome, reason: str, modified_ns: int = 0
    ) -> None:
        """Change the path, name and group of the stored document with this id; its text, title and vectors are kept.

        Raises:
            NotFound: the document does not exist.
        """
        place = {"path": document.path, "access_group": document.group}
        with writing(self._engine) as connection:
            _advance(connection)
            change = update(documents).where(documents.c.id == document.id).values(name=document.name, **place)
            if not connection.execute(change).rowcount:
                raise NotFound(f"There is no document {document.id!r} in the library.")
            release_path(connection, document)
            change_file(
                connection, document.id, state="ready", reason="", reading_at=None, modified_ns=modified_ns, **place
            )
            add_entry(
                connection,
                document.id,
                path=document.path,
                content_hash=document.content_hash,
                outcome=outcome,
                reason=reason,
            )

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order of ``ids``; unknown ids are left out."""
        found = {row.id: chunk_of(row) for row in self._rows_in(select(chunks), chunks.c.id, ids)}
        return {chunk_id: found[chunk_id] for chunk_id in ids if chunk_id in found}

    def summarised_passages(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each summary among these chunks, the ids of the passages in its section, in order."""
        found: dict[str, list[str]] = {}
        with reading(self._engine) as connection:
            for some in in_batches(ids):
                for summary_id, passage_id in connection.execute(_SUMMARISED_PASSAGES, {"ids": some}):
                    found.setdefault(summary_id, []).append(passage_id)
        return {summary_id: tuple(found[summary_id]) for summary_id in ids if summary_id in found}

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return all chunks of a document, sorted by kind and then by position."""
        query = select(chunks).where(chunks.c.document_id == document_id).order_by(chunks.c.kind, chunks.c.ordinal)
        return tuple(chunk_of(row) for row in self._rows(query))

    def document_versions(self) -> dict[str, tuple[str, str]]:
        """Return, for each document, its group and a mark that is unique for each version of the document."""
        last = select(ingestions.c.document_id, func.max(ingestions.c.number).label("number"))
        last_of = last.group_by(ingestions.c.document_id).subquery()
        query = (
            select(documents.c.id, documents.c.access_group, ingestions.c.number, ingestions.c.finished_at)
            .outerjoin(last_of, last_of.c.document_id == documents.c.id)
            .outerjoin(ingestions, ingestions.c.number == last_of.c.number)
        )
        # After a backup is restored, a number may be used again, but not with the same time.
        return {row[0]: (row[1], f"{row[2]} {row[3]}") for row in self._rows(query)}

    def document_vectors(
        self, document_ids: Iterable[str], *, embedder: str
    ) -> Iterator[tuple[list[str], list[str], Matrix]]:
        """Yield the chunk ids, document ids and vectors of ``embedder`` for these documents, in batches."""
        # The model is compared in Python: in SQL, SQLite would start with it and read every chunk.
        columns = (vectors.c.chunk_id, chunks.c.document_id, vectors.c.vector, vectors.c.embedder)
        query = select(*columns).join(chunks, chunks.c.id == vectors.c.chunk_id)
        with reading(self._engine) as connection:
            for some in in_batches(document_ids):
                found = connection.execution_options(yield_per=_VECTORS_A_BATCH).execute(
                    query.where(chunks.c.document_id.in_(some))
                )
                for rows in found.partitions():
                    if own := [row for row in rows if row.embedder == embedder]:
                        ids, of_documents, stored, _ = zip(*own, strict=True)
                        yield list(ids), list(of_documents), vectors_of(stored)

    def searchable_ids(self, *, embedder: str, documents: Collection[str] | None = None) -> list[str]:
        """Return the sorted ids of the chunks in ``documents`` (None: all) that ``embedder`` embedded."""
        if documents is None:
            query = select(vectors.c.chunk_id).where(vectors.c.embedder == embedder).order_by(vectors.c.chunk_id)
            return [str(row[0]) for row in self._rows(query)]
        # The model is compared in Python: in SQL, SQLite would start with it and read every chunk.
        of_documents = select(vectors.c.chunk_id, vectors.c.embedder).join(chunks, chunks.c.id == vectors.c.chunk_id)
        rows = self._rows(of_documents.where(chunks.c.document_id.in_(sorted(documents))))
        return sorted(str(row[0]) for row in rows if row[1] == embedder)

    def searchable_groups(self, *, embedder: str) -> dict[str, str]:
        """Return the group of each chunk that ``embedder`` embedded, by id."""
        # Two indexes are read completely, because with a join, SQLite would look up each chunk in the table of texts.
        of_chunks = select(chunks.c.id, documents.c.access_group).join(documents).where(chunks.c.kind != "section")
        embedded = select(vectors.c.chunk_id).where(vectors.c.embedder == embedder).order_by(vectors.c.chunk_id)
        with reading(self._engine) as connection:
            groups = {row[0]: row[1] for row in connection.execute(of_chunks)}
            ids = connection.execute(embedded).scalars()
            return {chunk_id: groups[chunk_id] for chunk_id in ids if chunk_id in groups}

    def vectors(self, ids: Sequence[str]) -> Matrix:
        """Return the vectors of these chunks, in the order of ``ids``: shape ``(len(ids), dimensions)``.

        Raises:
            NotFound: a chunk has no vector.
        """
        query = select(vectors.c.chunk_id, vectors.c.vector)
        found = {row[0]: row[1] for row in self._rows_in(query, vectors.c.chunk_id, ids)}
        missing = [chunk_id for chunk_id in ids if chunk_id not in found]
        if missing:
            raise NotFound(
                f"{len(missing)} of {len(ids)} chunks have no vector in the library, such as {missing[0]!r}."
            )
        return vectors_of([found[chunk_id] for chunk_id in ids]) if ids else np.empty((0, 0), dtype=np.float32)

    def embedders(self) -> tuple[str, ...]:
        """Return the sorted names of the models that made the stored vectors."""
        query = select(vectors.c.embedder).distinct().order_by(vectors.c.embedder)
        return tuple(row[0] for row in self._rows(query))

    def stale_ids(self, *, embedder: str) -> list[str]:
        """Return the sorted ids of chunks with a vector from a model other than ``embedder``."""
        # Two ranges of the index are read, because "is not" would read the whole index.
        others = (vectors.c.embedder < embedder, vectors.c.embedder > embedder)
        return sorted(str(row[0]) for each in others for row in self._rows(select(vectors.c.chunk_id).where(each)))

    def count_passages(self, *, groups: frozenset[str] | None = None, documents: Collection[str] | None = None) -> int:
        """Count the passages in documents that are in both ``groups`` and ``documents`` (None: all)."""
        query = select(func.count()).select_from(chunks).where(chunks.c.kind == "passage")
        if documents is not None:
            query = query.where(chunks.c.document_id.in_(sorted(documents)))
        if groups is not None:
            query = query.join(_DOCUMENTS).where(_DOCUMENTS.c.access_group.in_(sorted(groups)))
        return int(self._rows(query)[0][0])

    def counts(self) -> tuple[int, int]:
        tables = (select(func.count()).select_from(table).scalar_subquery() for table in (documents, chunks))
        of_documents, of_chunks = self._rows(select(*tables))[0]
        return int(of_documents), int(of_chunks)

    def _rows(self, query: Select[Any]) -> Sequence[_Row]:
        with reading(self._engine) as connection:
            return connection.execute(query).all()

    def _rows_in(self, query: Select[Any], column: ColumnElement[Any], values: Sequence[str]) -> Iterator[_Row]:
        """Yield the rows whose ``column`` is one of ``values``, from one snapshot."""
        with reading(self._engine) as connection:
            for some in in_batches(values):
                yield from connection.execute(query.where(column.in_(some)))


# Some methods have parameters with the same names as these tables.
_VECTORS = vectors
_CHUNKS = chunks
_DOCUMENTS = documents


def _advance(connection: Connection) -> None:
    # Call this first in each write transaction: on PostgreSQL, the lock on this row serialises writers.
    connection.execute(update(library_state).values(version=library_state.c.version + 1))


def _delete(connection: Connection, document_id: str) -> bool:
    connection.execute(delete(_CHUNKS).where(_CHUNKS.c.document_id == document_id))
    return connection.execute(delete(documents).where(documents.c.id == document_id)).rowcount > 0


def _insert_chunks(connection: Connection, of_document: Sequence[Chunk]) -> None:
    if not of_document:
        return
    for start in range(0, len(of_document), _ROWS_A_BATCH):
        some = of_document[start : start + _ROWS_A_BATCH]
        rows = [row_of_chunk(chunk, searched=chunk.kind in SEARCHED_KINDS) for chunk in some]
        connection.execute(insert(_CHUNKS), rows)
    # On SQLite, triggers have already indexed them.
    if connection.dialect.name == "postgresql":
        index_lexemes(connection, _CHUNKS.c.document_id == of_document[0].document_id)
