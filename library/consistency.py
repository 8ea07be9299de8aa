"""Checks the consistency of the library: documents, chunks, vectors, the lexical index and the ledger."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, Select, func, select, text

from contracts.errors import ConfigurationError
from database.transactions import reading, writing
from library.lexical_postgresql import index_lexemes
from library.rows import chunk_of, vectors_of
from library.tables import chunk_lexemes, chunks, documents, files, vectors
from library.tokenization import words_of

_ROWS_A_BATCH = 500


def find_faults(engine: Engine) -> list[str]:
    """Check the stored data, and return one line for each kind of fault. This call blocks.

    Each searched chunk must have one vector and the words of its text. The lexical index must contain exactly these
    words. Each document must be complete and "ready" in the ledger, and no text of removed documents may remain.
    """
    with reading(engine) as connection:
        found = [*_row_faults(connection), *_text_faults(connection), *_vector_faults(connection)]
        found += [*_ledger_faults(connection), *_lexeme_faults(connection)]
    return [*found, *_fts_faults(engine)]


def _row_faults(connection: Connection) -> Iterator[str]:
    searched = chunks.c.kind.in_(("passage", "summary"))
    lost = select(chunks.c.id).where(chunks.c.document_id.not_in(select(documents.c.id)))
    yield from _counted_with_example(connection, lost, "chunks belong to no document")
    blind = select(chunks.c.id).where(searched, chunks.c.id.not_in(select(vectors.c.chunk_id)))
    yield from _counted_with_example(connection, blind, "chunks have no vector")
    idle = select(vectors.c.chunk_id).where(vectors.c.chunk_id.not_in(select(chunks.c.id).where(searched)))
    yield from _counted_with_example(connection, idle, "vectors belong to no searched chunk")
    of_none = select(chunks.c.section_id.label("id")).where(
        chunks.c.section_id.is_not(None), chunks.c.section_id.not_in(select(chunks.c.id))
    )
    yield from _counted_with_example(connection, of_none, "sections that passages refer to are missing")


def _text_faults(connection: Connection) -> Iterator[str]:
    rows = connection.execute(select(chunks).execution_options(yield_per=_ROWS_A_BATCH))
    wrong = [row.id for row in rows if row.words != _expected_words(row)]
    yield from _counted(wrong, "chunks have words that differ from their text")


def _expected_words(row: Any) -> str | None:
    if row.kind == "section":
        return None
    return " ".join(words_of(chunk_of(row).searchable_text))


def _vector_faults(connection: Connection) -> Iterator[str]:
    lengths: dict[str, int] = {}
    wrong: list[str] = []
    query = select(vectors.c.chunk_id, vectors.c.embedder, vectors.c.vector).order_by(vectors.c.chunk_id)
    for row in connection.execute(query).yield_per(_ROWS_A_BATCH):
        expected = lengths.setdefault(row.embedder, len(row.vector))
        if len(row.vector) != expected or not len(row.vector) or not np.isfinite(vectors_of([row.vector])).all():
            wrong.append(row.chunk_id)
    yield from _counted(wrong, "vectors have the wrong length, or contain invalid numbers")


def _fts_faults(engine: Engine) -> Iterator[str]:
    for table in ("chunk_stems", "chunk_terms") if engine.name == "sqlite" else ():
        try:
            # FTS5 compares the index with its content, and reports that it is malformed if they differ. Writers wait.
            with writing(engine) as connection:
                connection.execute(text(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)"))
        except ConfigurationError:
            yield f"the words in the lexical index {table} differ from the chunks"


def _lexeme_faults(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "postgresql":
        return
    connection.execute(text("CREATE TEMPORARY TABLE fresh_lexemes (LIKE chunk_lexemes) ON COMMIT DROP"))
    fresh = chunk_lexemes.to_metadata(type(chunk_lexemes.metadata)(), name="fresh_lexemes")
    index_lexemes(connection, into=fresh)
    compared = text(
        "SELECT coalesce(held.number, wanted.number) FROM chunk_lexemes AS held "
        "FULL JOIN fresh_lexemes AS wanted ON wanted.number = held.number "
        "WHERE (held.number, held.length, held.stems, held.terms) IS DISTINCT FROM "
        "(wanted.number, wanted.length, wanted.stems, wanted.terms) ORDER BY 1"
    )
    numbers = [f"number {each}" for each in connection.execute(compared).scalars()]
    yield from _counted(numbers, "chunks have words in the lexical index that differ from their text")


def _ledger_faults(connection: Connection) -> Iterator[str]:
    unknown = select(documents.c.id).where(documents.c.id.not_in(select(files.c.document_id)))
    yield from _counted_with_example(connection, unknown, "documents are not in the ledger")
    hollow = select(files.c.document_id).where(
        files.c.state == "ready", files.c.document_id.not_in(select(documents.c.id))
    )
    yield from _counted_with_example(connection, hollow, "files are marked as ready, but are not in the library")
    left = select(files.c.document_id).where(
        files.c.state.in_(("removed", "duplicate")), files.c.document_id.in_(select(chunks.c.document_id))
    )
    yield from _counted_with_example(connection, left, "documents are marked as removed, but their text is still there")
    both = documents.join(files, files.c.document_id == documents.c.id)
    apart = (files.c.path != documents.c.path) | (
        (files.c.state == "ready") & (files.c.content_hash != documents.c.content_hash)
    )
    yield from _counted_with_example(
        connection, select(documents.c.id).select_from(both).where(apart), "documents differ from their ledger entry"
    )


def _counted_with_example(connection: Connection, query: Select[Any], what: str) -> Iterator[str]:
    count = int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())
    if count:
        example = connection.execute(query.limit(1)).scalar()
        yield f"{count} {what}, such as {example}"


def _counted(wrong: list[str], what: str) -> Iterator[str]:
    if wrong:
        yield f"{len(wrong)} {what}, such as {wrong[0]}"
