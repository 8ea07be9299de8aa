"""Real libraries to search."""

from pathlib import Path

from contracts.text import BlockKind, Chunk, ChunkKind, Document
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Matrix
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher

EMBEDDER = "test-model@1"


def open_library(folder: Path) -> LibraryStore:
    """Open a new library in ``folder``."""
    return LibraryStore(open_new_sqlite(folder / "library.db", LIBRARY))


def document_of(name: str, *, group: str = "everyone") -> Document:
    return Document(
        id=name, name=f"{name}.txt", path=f"/{name}", media_type="text/plain", content_hash="h", title=name.title(),
        pages=1, group=group,
    )  # fmt: skip


def chunk_of(
    name: str,
    row: int,
    text: str,
    *,
    kind: ChunkKind = "passage",
    section: str | None = None,
    block_kind: BlockKind = "paragraph",
) -> Chunk:
    return Chunk(
        id=f"{name}-{row}" if kind == "passage" else f"{name}-{kind}-{row}", document_id=name, kind=kind, ordinal=row,
        text=text, page=1, last_page=1, section_id=section, block_kind=block_kind,
    )  # fmt: skip


def put(store: LibraryStore, name: str, vectors: Matrix, *, group: str = "everyone", embedder: str = EMBEDDER) -> None:
    """Store a document with a passage ``name-0``, ``name-1``, … for each of ``vectors``."""
    chunks = [chunk_of(name, row, f"{name} {row}") for row in range(len(vectors))]
    store.replace_document(document_of(name, group=group), chunks, vectors, embedder=embedder)


class Library:
    """A library of texts, embedded by hashing, with its lexical index and a searcher over it."""

    def __init__(self, folder: Path) -> None:
        self.store, self.embedder = open_library(folder), HashingEmbedder()
        self.lexical = SqlLexicalSearch(self.store.engine)
        index = ExactVectorIndex(self.store, self.embedder.name)
        self.searcher = HybridSearcher(self.store, self.embedder, index, self.lexical)

    async def put(self, name: str, *texts: str, group: str = "everyone", block_kind: BlockKind = "paragraph") -> None:
        chunks = [chunk_of(name, row, text, block_kind=block_kind) for row, text in enumerate(texts)]
        await self.put_chunks(name, chunks, group=group)

    async def put_chunks(self, name: str, chunks: list[Chunk], *, group: str = "everyone") -> None:
        searched = [chunk.searchable_text for chunk in chunks if chunk.kind != "section"]
        vectors = await self.embedder.embed_documents(searched)
        self.store.replace_document(document_of(name, group=group), chunks, vectors, embedder=self.embedder.name)
