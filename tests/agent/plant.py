"""A library of one made document, the guide of a plant, over real SQLite: what whole-way tests ask about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from contracts.text import Chunk, Document
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tools.embedding import Embedder
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

PAGES = (
    "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros.",
    "The EBR dries vaccine at minus 50 degrees Celsius. One EBR cycle takes 36 hours.",
    "An EBR is signed by two operators before a batch is released. It is kept for 11 years.",
    "The canteen of the Leiden plant opens at 7:30 and closes at 14:00. On Fridays it serves fish.",
)


@asynccontextmanager
async def plant_library(folder: Path, embedder: Embedder) -> AsyncIterator[tuple[HybridSearcher, StoredLexicalIndex]]:
    """Keep the guide in a database in ``folder``; give what searches it, and its lexical index."""
    engine = open_new_sqlite(folder / "golden.db", LIBRARY)
    store = LibraryStore(engine)
    document = Document(
        id="plant", name="plant.pdf", path="/plant.pdf", media_type="application/pdf", content_hash="1",
        title="Plant guide", pages=len(PAGES),
    )  # fmt: skip
    chunks = [
        Chunk(
            id=f"plant-{page}", document_id="plant", kind="passage", ordinal=page, text=text, page=page,
            last_page=page, document_title="Plant guide",
        )
        for page, text in enumerate(PAGES, start=1)
    ]  # fmt: skip
    vectors = await embedder.embed_documents([chunk.searchable_text for chunk in chunks])
    store.replace_document(document, chunks, vectors, embedder=embedder.name)
    index = ExactVectorIndex(folder / "vectors", store, embedder.name)
    lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
    yield HybridSearcher(store, embedder, index, lexical), lexical
    await index.close()
    engine.dispose()
