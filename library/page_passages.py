"""The passages that stand on a page of a document of a name."""

from collections.abc import Collection

from sqlalchemy import Engine, select

from contracts.text import Chunk
from database.session import reading
from library.models import chunks, documents
from library.rows import chunk_of


def page_passages(engine: Engine, name: str, page: int, *, groups: Collection[str] | None = None) -> tuple[Chunk, ...]:
    """Return the passages on ``page`` of the documents of this ``name``, by document and in their order.

    Only of documents of ``groups`` (None: of all). Blocking.
    """
    query = (
        select(chunks)
        .join(documents, documents.c.id == chunks.c.document_id)
        .where(documents.c.name == name, chunks.c.kind == "passage", chunks.c.page <= page, chunks.c.last_page >= page)
        .order_by(chunks.c.document_id, chunks.c.ordinal)
    )
    if groups is not None:
        query = query.where(documents.c.access_group.in_(sorted(groups)))
    with reading(engine) as connection:
        return tuple(chunk_of(row) for row in connection.execute(query))
