"""A library filled with a collection, for a benchmark to search. Its vectors are kept between runs."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from contracts.text import Chunk, Document, Passage
from database.connection import open_database
from database.migrations import migrate
from golden_lab.datasets.corpora import Collection, CollectionPassage, load_awsdocs, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.vectors import StoredEmbedder
from ingestion.chunks.split import SECTION_TOKENS
from ingestion.runs.build import summarise_sections
from intrinsics.summarisation.base import Summariser
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding.base import Embedder
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher


@dataclass(frozen=True, kw_only=True)
class CorpusLibrary:
    """A library of a collection's passages, its indexes, and the searcher that fuses their results.

    ``unit_of`` maps each chunk id to the unit that the collection's relevance judgements refer to.
    """

    store: LibraryStore
    lexical: SqlLexicalSearch
    dense: ExactVectorIndex
    searcher: HybridSearcher
    unit_of: Mapping[str, str]

    def units(self, found: Iterable[Passage]) -> list[str]:
        """Return the units of the ``found`` passages, without duplicates."""
        return list(dict.fromkeys(self.unit_of[each.chunk.id] for each in found))


# In a sampled run, this many passages (or documents) that answer no question are added from the larger collections.
OTHERS_OF_CLOUD, OTHERS_OF_AWSDOCS = 1_500, 100


def mtrag_of(run: Run, domain: str) -> Collection:
    """Read ``domain`` of MT-RAG in the same way for all benchmarks, so that they share one library."""
    others = None if run.full or domain == "govt" else OTHERS_OF_CLOUD
    return load_mtrag(run.data, domain, others=others, seed=run.seed)


def awsdocs_of(run: Run) -> Collection:
    """Read the core AWS guides in the same way for all benchmarks, so that they share one library."""
    return load_awsdocs(run.data, others=None if run.full else OTHERS_OF_AWSDOCS, seed=run.seed)


def open_corpus(collection: Collection, engine: Engine, run: Run) -> AbstractAsyncContextManager[CorpusLibrary]:
    """Open ``collection`` as a library in ``run.work``, with vectors from the engine's embedder."""
    return open_library(collection, engine.embedder, run.work)


@asynccontextmanager
async def open_library(
    collection: Collection,
    embedder: Embedder,
    work: Path,
    *,
    summariser: Summariser | None = None,
    summariser_name: str = "",
) -> AsyncIterator[CorpusLibrary]:
    """Put ``collection`` into a library in ``work``, with vectors from ``embedder``, and open its indexes.

    With a ``summariser``, the passages of each document are joined into sections, and summaries and questions are added
    as in ingestion; ``summariser_name`` keeps the libraries of different summarisers apart. The vectors of all
    collections are kept in one file, keyed by text and model. An existing library is opened unchanged.

    Raises:
        Unavailable: the library cannot be written or read at the moment.
    """
    await asyncio.to_thread(work.mkdir, parents=True, exist_ok=True)
    database = open_database(f"sqlite:///{work / 'libraries' / _file_name(collection, embedder.name, summariser_name)}")
    try:
        await asyncio.to_thread(migrate, database, LIBRARY)
        store = LibraryStore(database)
        if len(await asyncio.to_thread(store.documents)) != len({each.document for each in collection.passages}):
            stored = StoredEmbedder(embedder, work / "vectors.db")
            try:
                await _fill(store, collection, stored, summariser)
            finally:
                stored.close()
        lexical = SqlLexicalSearch(database)
        dense = ExactVectorIndex(store, embedder.name)
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
    """Return ``passage`` as a chunk of the library; equal passage ids give equal chunk ids."""
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


async def _fill(store: LibraryStore, collection: Collection, embedder: Embedder, summariser: Summariser | None) -> None:
    # Embed all passages at once: the embedder sorts them by length, which is faster than one document at a time.
    await embedder.embed_documents([chunk_of(passage).searchable_text for passage in collection.passages])
    by_document = sorted(collection.passages, key=lambda each: each.document)
    for name, of_document in groupby(by_document, key=lambda each: each.document):
        document = Document(
            id=_short(name), name=name, path=name, media_type="text/plain", content_hash=_short(name), title="", pages=1
        )
        chunks = [chunk_of(passage, ordinal) for ordinal, passage in enumerate(of_document)]
        if summariser is not None:
            chunks = _in_sections(chunks, document, embedder)
            chunks += await summarise_sections(chunks, document, summariser)
        vectors = await embedder.embed_documents([each.searchable_text for each in chunks if each.kind != "section"])
        await asyncio.to_thread(store.replace_document, document, chunks, vectors, embedder=embedder.name)


def _in_sections(passages: Sequence[Chunk], document: Document, embedder: Embedder) -> list[Chunk]:
    """Return sections of the length that ingestion uses, followed by the passages that they contain."""
    groups: list[list[Chunk]] = []
    tokens = 0
    for passage in passages:
        count = embedder.count_tokens(passage.text)
        if not groups or tokens + count > SECTION_TOKENS:
            groups.append([])
            tokens = 0
        groups[-1].append(passage)
        tokens += count
    sections = [
        Chunk(
            id=_short(f"{document.id}:{ordinal}"),
            document_id=document.id,
            kind="section",
            ordinal=ordinal,
            text="\n\n".join(each.text for each in group),
            page=1,
            last_page=1,
            document_title=group[0].document_title,
        )
        for ordinal, group in enumerate(groups)
    ]
    placed = zip(sections, groups, strict=True)
    return sections + [replace(each, section_id=section.id) for section, group in placed for each in group]


def _file_name(collection: Collection, embedder_name: str, summariser_name: str) -> str:
    digest = hashlib.sha256(f"{embedder_name}\0{summariser_name}".encode())
    for passage in collection.passages:
        digest.update(f"\0{passage.id}\0{passage.document}\0{passage.title}\0{passage.text}".encode())
    return f"{collection.name}-{digest.hexdigest()[:16]}.db"


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:24]
