"""A library over a collection: what a benchmark searches. Its vectors are kept between runs."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrating import migrate
from evaluation.datasets.corpora import Collection, CollectionPassage
from evaluation.engine import Engine
from evaluation.run import Run
from evaluation.vectors import StoredEmbedder
from library.lexical import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex


@dataclass(frozen=True, kw_only=True)
class CorpusLibrary:
    """The passages of a collection in a library, with the indexes over it and the searcher that fuses them.

    ``unit_of`` names, for each chunk id, the unit that the collection's judgements speak of.
    """

    store: LibraryStore
    lexical: StoredLexicalIndex
    dense: ExactVectorIndex
    searcher: HybridSearcher
    unit_of: Mapping[str, str]


def open_corpus(collection: Collection, engine: Engine, run: Run) -> AbstractAsyncContextManager[CorpusLibrary]:
    """Open ``collection`` as a library below ``run.work``, embedded by the engine's embedder."""
    return open_library(collection, engine.embedder, run.work)


@asynccontextmanager
async def open_library(collection: Collection, embedder: Embedder, work: Path) -> AsyncIterator[CorpusLibrary]:
    """Put ``collection`` into a library below ``work``, embedded by ``embedder``, and open its indexes.

    Vectors are kept in one file for all collections, addressed by text and model; a library that is there already is
    opened as it is.

    Raises:
        Unavailable: the library cannot be written or read just now.
    """
    await asyncio.to_thread(work.mkdir, parents=True, exist_ok=True)
    database = open_database(f"sqlite:///{work / 'libraries' / _file_name(collection, embedder.name)}")
    try:
        await asyncio.to_thread(migrate, database, LIBRARY)
        store = LibraryStore(database)
        if len(await asyncio.to_thread(store.documents)) != len({each.document for each in collection.passages}):
            vectors = await _embed(collection, embedder, work)
            await asyncio.to_thread(_fill, store, collection, vectors, embedder.name)
        lexical = StoredLexicalIndex(SqlLexicalSearch(database))
        dense = ExactVectorIndex(None, store, embedder.name)
        yield CorpusLibrary(
            store=store,
            lexical=lexical,
            dense=dense,
            searcher=HybridSearcher(store, embedder, dense, lexical),
            unit_of={_short(passage.id): passage.unit for passage in collection.passages},
        )
    finally:
        database.dispose()


def chunk_of(passage: CollectionPassage, ordinal: int = 0) -> Chunk:
    """Return ``passage`` as a chunk of the library; equal passage ids make equal chunk ids."""
    return Chunk(
        id=_short(passage.id),
        document_id=_short(passage.document),
        kind="passage",
        ordinal=ordinal,
        text=passage.text,
        page=1,
        last_page=1,
        document_title=passage.title,
    )


async def _embed(collection: Collection, embedder: Embedder, work: Path) -> Matrix:
    stored = StoredEmbedder(embedder, work / "vectors.db")
    try:
        return await stored.embed_documents([chunk_of(passage).searchable_text for passage in collection.passages])
    finally:
        stored.close()


def _fill(store: LibraryStore, collection: Collection, vectors: Matrix, embedder_name: str) -> None:
    rows = sorted(enumerate(collection.passages), key=lambda row: row[1].document)
    for name, of_document in groupby(rows, key=lambda row: row[1].document):
        group = list(of_document)
        chunks = [chunk_of(passage, ordinal) for ordinal, (_, passage) in enumerate(group)]
        document = Document(
            id=_short(name), name=name, path=name, media_type="text/plain", content_hash=_short(name), title="", pages=1
        )
        store.replace_document(document, chunks, vectors[[row for row, _ in group]], embedder=embedder_name)


def _file_name(collection: Collection, embedder_name: str) -> str:
    digest = hashlib.sha256(embedder_name.encode())
    for passage in collection.passages:
        digest.update(f"\0{passage.id}\0{passage.document}\0{passage.title}\0{passage.text}".encode())
    return f"{collection.name}-{digest.hexdigest()[:16]}.db"


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:24]
