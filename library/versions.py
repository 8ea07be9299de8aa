"""Versions of the library's documents, and their vectors: what an index reads to follow what changed."""

from collections.abc import Iterable, Iterator

from sqlalchemy import Engine, func, select

from database.statements import in_batches
from database.transactions import reading
from library.rows import Matrix, vectors_of
from library.tables import chunks, documents, ingestions, vectors

_ROWS_A_BATCH = 10_000


def document_versions(engine: Engine) -> dict[str, tuple[str, str]]:
    """Return for each document its group and a mark, which no other version of it has or had. Blocking."""
    last = (
        select(ingestions.c.document_id, func.max(ingestions.c.number).label("number"))
        .group_by(ingestions.c.document_id)
        .subquery()
    )
    query = (
        select(documents.c.id, documents.c.access_group, ingestions.c.number, ingestions.c.finished_at)
        .outerjoin(last, last.c.document_id == documents.c.id)
        .outerjoin(ingestions, ingestions.c.number == last.c.number)
    )
    with reading(engine) as connection:
        # After a backup is restored, a number may be used again, but not with the same time.
        return {row[0]: (row[1], f"{row[2]} {row[3]}") for row in connection.execute(query)}


def document_vectors(
    engine: Engine, document_ids: Iterable[str], *, embedder: str
) -> Iterator[tuple[list[str], list[str], Matrix]]:
    """Yield chunk ids, document ids and vectors of ``embedder`` for these documents in batches. Blocking."""
    # The model is compared in Python: in SQL, SQLite would start with it and read every chunk.
    columns = (vectors.c.chunk_id, chunks.c.document_id, vectors.c.vector, vectors.c.embedder)
    query = select(*columns).join(chunks, chunks.c.id == vectors.c.chunk_id)
    with reading(engine) as connection:
        for some in in_batches(document_ids):
            found = connection.execution_options(yield_per=_ROWS_A_BATCH).execute(
                query.where(chunks.c.document_id.in_(some))
            )
            for rows in found.partitions():
                if own := [row for row in rows if row.embedder == embedder]:
                    ids, of_documents, stored, _ = zip(*own, strict=True)
                    yield list(ids), list(of_documents), vectors_of(stored)
