"""Consistency check of the library: documents, chunks, vectors, the lexical index and the ledger."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, Select, func, insert, select, text

from database.transactions import reading
from library.lexical_postgresql import lexemes_of
from library.rows import chunk_of, vector_of
from library.tables import chunk_lexemes, chunks, documents, files, vectors
from library.tokenization import words_of

_ROWS_A_BATCH = 500

# A new index of the same words, created like the two that are checked.
_FRESH = """CREATE VIRTUAL TABLE temp.fresh_{table} USING fts5(
    words, content='', tokenize="{tokenizer} remove_diacritics 2 tokenchars '_#'")"""
_TOKENIZERS = {"chunk_stems": "porter unicode61", "chunk_terms": "unicode61"}
_TOKENS = "SELECT term, doc, offset FROM temp.{view}"


def find_faults(engine: Engine) -> list[str]:
    """Check the stored data; return a line for each kind of fault, none if all is consistent. Blocking.

    Each searched chunk must have one vector and the words of its text; the lexical index must hold exactly these words;
    each document must be complete and "ready" in the ledger; nothing of a removed one may remain.

    Raises:
        Unavailable: the database cannot be read.
    """
    with reading(engine) as connection:
        lexical = _postgresql_faults if engine.name == "postgresql" else _sqlite_faults
        found = [*_row_faults(connection), *_text_faults(connection), *_vector_faults(connection)]
        return [*found, *lexical(connection), *_ledger_faults(connection)]


def _row_faults(connection: Connection) -> Iterator[str]:
    searched = chunks.c.kind.in_(("passage", "summary"))
    lost = select(chunks.c.id).where(chunks.c.document_id.not_in(select(documents.c.id)))
    yield from _told(connection, lost, "chunks belong to no document")
    blind = select(chunks.c.id).where(searched, chunks.c.id.not_in(select(vectors.c.chunk_id)))
    yield from _told(connection, blind, "chunks have no vector")
    idle = select(vectors.c.chunk_id).where(vectors.c.chunk_id.not_in(select(chunks.c.id).where(searched)))
    yield from _told(connection, idle, "vectors belong to no searched chunk")
    of_none = select(chunks.c.section_id.label("id")).where(
        chunks.c.section_id.is_not(None), chunks.c.section_id.not_in(select(chunks.c.id))
    )
    yield from _told(connection, of_none, "sections that passages name are not there")


def _text_faults(connection: Connection) -> Iterator[str]:
    wrong = [row.id for row in _walk(connection, select(chunks)) if row.words != _expected_words(row)]
    yield from _counted(wrong, "chunks have other words than their text")


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
        if len(row.vector) != expected or not len(row.vector) or not np.isfinite(vector_of(row.vector)).all():
            wrong.append(row.chunk_id)
    yield from _counted(wrong, "vectors are of another length, or hold no numbers")


def _sqlite_faults(connection: Connection) -> Iterator[str]:
    for table, tokenizer in _TOKENIZERS.items():
        views = {"held": f"held_{table}", "wanted": f"wanted_{table}"}
        connection.execute(text(_FRESH.format(table=table, tokenizer=tokenizer)))
        connection.execute(
            text(
                f"INSERT INTO temp.fresh_{table}(rowid, words) SELECT number, words FROM chunks WHERE words IS NOT NULL"
            )
        )
        for schema, source, view in (("main", table, views["held"]), ("temp", f"fresh_{table}", views["wanted"])):
            connection.execute(text(f"CREATE VIRTUAL TABLE temp.{view} USING fts5vocab({schema}, {source}, instance)"))
        try:
            for first, second, what in (
                ("held", "wanted", "chunks are found by words that they do not hold, or are not there at all"),
                ("wanted", "held", "chunks are not found by all of their words"),
            ):
                surplus = f"{_TOKENS.format(view=views[first])} EXCEPT {_TOKENS.format(view=views[second])}"
                numbers = connection.execute(text(f"SELECT DISTINCT doc FROM ({surplus}) ORDER BY doc")).scalars()
                yield from _counted([f"number {each}" for each in numbers], f"{what} ({table})")
        finally:
            for name in (*views.values(), f"fresh_{table}"):
                connection.execute(text(f"DROP TABLE temp.{name}"))


def _postgresql_faults(connection: Connection) -> Iterator[str]:
    connection.execute(text("CREATE TEMPORARY TABLE fresh_lexemes (LIKE chunk_lexemes) ON COMMIT DROP"))
    fresh = chunk_lexemes.to_metadata(type(chunk_lexemes.metadata)(), name="fresh_lexemes")
    query = select(chunks.c.number, chunks.c.words).where(chunks.c.words.is_not(None))
    batch: list[dict[str, Any]] = []
    for row in _walk(connection, query):
        batch.append(lexemes_of(row.number, row.words.split()))
        if len(batch) == _ROWS_A_BATCH:
            connection.execute(insert(fresh), batch)
            batch = []
    if batch:
        connection.execute(insert(fresh), batch)
    compared = text(
        "SELECT coalesce(held.number, wanted.number) FROM chunk_lexemes AS held "
        "FULL JOIN fresh_lexemes AS wanted ON wanted.number = held.number "
        "WHERE (held.number, held.length, held.stems, held.terms) IS DISTINCT FROM "
        "(wanted.number, wanted.length, wanted.stems, wanted.terms) ORDER BY 1"
    )
    numbers = [f"number {each}" for each in connection.execute(compared).scalars()]
    yield from _counted(numbers, "chunks have other words in the lexical index than in their text")


def _ledger_faults(connection: Connection) -> Iterator[str]:
    unknown = select(documents.c.id).where(documents.c.id.not_in(select(files.c.document_id)))
    yield from _told(connection, unknown, "documents are not on the ledger")
    hollow = select(files.c.document_id).where(
        files.c.state == "ready", files.c.document_id.not_in(select(documents.c.id))
    )
    yield from _told(connection, hollow, "files are said to be ready, but are not in the library")
    left = select(files.c.document_id).where(
        files.c.state.in_(("removed", "duplicate")),
        files.c.document_id.in_(select(chunks.c.document_id)),
    )
    yield from _told(connection, left, "documents are said to be removed, but their text is there")
    both = documents.join(files, files.c.document_id == documents.c.id)
    apart = (files.c.path != documents.c.path) | (
        (files.c.state == "ready") & (files.c.content_hash != documents.c.content_hash)
    )
    yield from _told(
        connection, select(documents.c.id).select_from(both).where(apart), "documents differ from their ledger"
    )


def _walk(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    # By key, so that memory is bounded for a library of any size.
    last = -1
    ordered = query.order_by(chunks.c.number).limit(_ROWS_A_BATCH)
    while rows := connection.execute(ordered.where(chunks.c.number > last)).all():
        last = rows[-1].number
        yield from rows


def _told(connection: Connection, query: Select[Any], what: str) -> Iterator[str]:
    count = int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())
    if count:
        example = connection.execute(query.limit(1)).scalar()
        yield f"{count} {what}, such as {example}"


def _counted(wrong: list[str], what: str) -> Iterator[str]:
    if wrong:
        yield f"{len(wrong)} {what}, such as {wrong[0]}"
