"""Every passage searcher, called through the Protocol."""

from pathlib import Path

import numpy as np
import pytest

from contracts.text import Chunk, Document
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tools.embedding.hashing import HashingEmbedder
from tools.search.base import PassageSearcher
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

TEXTS = ("A delay-locked loop aligns the clock.", "The cafeteria serves soup on Fridays.")


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    engine = open_new_sqlite(tmp_path / "library.db", LIBRARY)
    return LibraryStore(engine)


@pytest.fixture
async def searcher(store: LibraryStore) -> PassageSearcher:
    embedder = HashingEmbedder()
    document = Document(
        id="a", name="a.txt", path="/a.txt", media_type="text/plain", content_hash="h", title="", pages=1
    )
    chunks = [
        Chunk(id=f"a-{row}", document_id="a", kind="passage", ordinal=row, text=text, page=1, last_page=1)
        for row, text in enumerate(TEXTS)
    ]
    store.replace_document(document, chunks, await embedder.embed_documents(TEXTS), embedder=embedder.name)
    index = ExactVectorIndex(None, store, embedder.name)
    return HybridSearcher(store, embedder, index, StoredLexicalIndex(SqlLexicalSearch(store.engine)))


async def test_a_question_brings_its_passage_first(searcher: PassageSearcher) -> None:
    found = await searcher.search(["What aligns the clock?"], 2)
    assert found[0].chunk.id == "a-0"
    assert await searcher.search([], 2) == ()


async def test_likeness_is_the_cosine_with_each_chunk(searcher: PassageSearcher) -> None:
    question = "Which loop aligns the clock?"
    found = await searcher.likeness(question, ["a-1", "a-0"])
    embedder = HashingEmbedder()
    (query,) = await embedder.embed_queries([question])
    expected = await embedder.embed_documents(TEXTS) @ query
    assert found == {"a-1": pytest.approx(expected[1], abs=1e-6), "a-0": pytest.approx(expected[0], abs=1e-6)}
    assert found["a-0"] > found["a-1"]
    assert await searcher.likeness(question, []) == {}


async def test_chunks_that_are_gone_or_of_another_model_are_left_out(
    searcher: PassageSearcher, store: LibraryStore
) -> None:
    assert set(await searcher.likeness("the clock", ["a-0", "gone"])) == {"a-0"}
    other = Document(id="b", name="b.txt", path="/b.txt", media_type="text/plain", content_hash="h", title="", pages=1)
    chunk = Chunk(id="b-0", document_id="b", kind="passage", ordinal=0, text=TEXTS[0], page=1, last_page=1)
    store.replace_document(other, [chunk], np.ones((1, 3), dtype=np.float32), embedder="another model")
    assert set(await searcher.likeness("the clock", ["a-0", "b-0"])) == {"a-0"}
