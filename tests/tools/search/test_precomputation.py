"""Vectors that judgements need of a passage are computed before anybody asks, and deleted with the passage."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from contracts.text import Document, Passage
from database.connection import open_database
from database.migrating import migrate
from intrinsics.citation.embedded import EmbeddedCitationFinder
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.library.samples import chunk_of, document_of
from tools.embedding.base import Matrix, TokenEmbeddings
from tools.embedding.cached import CachedEmbedder
from tools.embedding.hashing import HashingEmbedder
from tools.embedding.precomputed_vectors import PrecomputedVectors
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer, analyse_question, read_statements
from tools.search.passages import sentences_in
from tools.search.precomputation import VectorPrecomputation

QUESTION = "How hot may the pump run?"
PUMPS = ("The pump runs at 40 °C at most. Stop it at 45 °C.", "Part | Hours\nSeal | 900\nRotor | 7000")


class CountingEmbedder(HashingEmbedder):
    """Embeds as the hashing embedder does and notes the texts it was asked for."""

    def __init__(self) -> None:
        super().__init__(dimensions=32)
        self.asked: list[str] = []

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        return await super().embed_documents(texts)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        self.asked += texts
        return await super().embed_tokens(texts)


@pytest.fixture
def store(database_url: str) -> Iterator[LibraryStore]:
    engine = open_database(database_url)
    migrate(engine, LIBRARY)
    yield LibraryStore(engine)
    engine.dispose()


def put(store: LibraryStore, *texts: str, version: str = "1") -> tuple[Document, list[str]]:
    document = document_of("pumps.txt", version=version)
    chunks = [chunk_of(document, "passage", number, text) for number, text in enumerate(texts)]
    chunks.append(chunk_of(document, "summary", 0, "It is about pumps."))
    vectors = np.ones((len(chunks), 32), dtype=np.float32)
    store.replace_document(document, chunks, vectors, embedder=HashingEmbedder(dimensions=32).name)
    return document, [chunk.id for chunk in chunks]


def passages_of(store: LibraryStore, document: Document) -> list[Passage]:
    chunks = [chunk for chunk in store.document_chunks(document.id) if chunk.kind == "passage"]
    return [
        Passage(chunk=chunk, document_name="pumps.txt", document_title="", score=0.0, sentences=sentences_in(chunk))
        for chunk in chunks
    ]


def vectors_in(folder: Path, most_bytes: int = 10**7) -> PrecomputedVectors:
    return PrecomputedVectors(folder, HashingEmbedder(dimensions=32).name, most_bytes=most_bytes)


def precomputation_of(
    store: LibraryStore, vectors: PrecomputedVectors, embedder: HashingEmbedder | None = None
) -> VectorPrecomputation:
    return VectorPrecomputation(store, embedder or HashingEmbedder(dimensions=32), vectors, idle_s=lambda: 100.0)


async def judge(embedder: CachedEmbedder, passages: Sequence[Passage]) -> tuple[Matrix, Matrix]:
    """Hold a question against passages, score their statements, and cite one of them."""
    evidence = await EvidenceReader(embedder).read(QUESTION, passages)
    statements = [each for number, passage in enumerate(passages) for each in read_statements(passage, number)]
    scored = await StatementScorer(embedder=embedder).score(analyse_question(QUESTION), (), statements)
    await EmbeddedCitationFinder(embedder).find(["The rotor lasts for 7000 hours."], passages)
    return evidence.soft, np.array([each.score for each in scored])


async def test_no_vector_of_a_prepared_passage_is_made_for_a_question(store: LibraryStore, tmp_path: Path) -> None:
    document, _ = put(store, *PUMPS)
    passages = passages_of(store, document)
    assert await precomputation_of(store, vectors_in(tmp_path)).update()
    inner = CountingEmbedder()
    with_precomputed = await judge(CachedEmbedder(inner, precomputed=vectors_in(tmp_path)), passages)
    assert set(inner.asked) == {QUESTION, "The rotor lasts for 7000 hours."}
    for found, plain in zip(with_precomputed, await judge(CachedEmbedder(CountingEmbedder()), passages), strict=True):
        np.testing.assert_allclose(found, plain, atol=2e-3)


async def test_a_changed_document_is_prepared_anew_and_a_removed_one_forgotten(
    store: LibraryStore, tmp_path: Path
) -> None:
    precomputed = vectors_in(tmp_path)
    _, former = put(store, *PUMPS)
    inner = CountingEmbedder()
    precomputation = precomputation_of(store, precomputed, inner)
    await precomputation.update()
    assert await precomputation.count(former) == len(former)
    inner.asked.clear()
    document, now = put(store, PUMPS[0], "The fan runs at 60 °C.", version="2")
    await precomputation.update()
    assert await precomputation.count(former) == 0
    assert await precomputation.count(now) == len(now)
    # Texts of both versions are embedded once more: the passages' ids differ.
    assert "The fan runs at 60 °C." in inner.asked
    assert not any("Rotor" in text for text in inner.asked)
    store.delete_document(document.id)
    await precomputation.delete_removed()
    assert await precomputation.count(now) == 0


async def test_a_full_file_ends_it_and_questions_go_on(store: LibraryStore, tmp_path: Path) -> None:
    document, _ = put(store, *PUMPS)
    precomputed = vectors_in(tmp_path, most_bytes=1)
    assert await precomputation_of(store, precomputed).update()
    assert precomputed.passages() == set()
    soft, scores = await judge(
        CachedEmbedder(CountingEmbedder(), precomputed=precomputed), passages_of(store, document)
    )
    assert soft.size
    assert scores.size


async def test_two_processes_share_the_work(store: LibraryStore, tmp_path: Path) -> None:
    _, ids = put(store, *(f"Pump {number} runs at {number} °C at most." for number in range(20)))
    inner = CountingEmbedder(), CountingEmbedder()
    both = [precomputation_of(store, vectors_in(tmp_path), each) for each in inner]
    assert await asyncio.gather(*(each.update() for each in both)) == [True, True]
    assert await both[0].count(ids) == len(ids)
    alone = CountingEmbedder()
    await precomputation_of(store, vectors_in(tmp_path / "other"), alone).update()
    assert len(inner[0].asked) + len(inner[1].asked) < 2 * len(alone.asked)


async def test_a_library_that_changes_meanwhile_is_looked_at_again(store: LibraryStore, tmp_path: Path) -> None:
    class Removing(CountingEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            store.delete_document(document.id)
            return await super().embed_documents(texts)

    document, ids = put(store, *PUMPS)
    precomputation = precomputation_of(store, vectors_in(tmp_path), Removing())
    assert not await precomputation.update()
    assert await precomputation.update()
    assert await precomputation.count(ids) == 0


async def test_in_the_background_it_waits_for_questions_and_then_follows_the_library(
    store: LibraryStore, tmp_path: Path
) -> None:
    _, ids = put(store, *PUMPS)
    idle = [0.0]
    precomputation = VectorPrecomputation(
        store, HashingEmbedder(dimensions=32), vectors_in(tmp_path), idle_s=lambda: idle[0]
    )
    running = asyncio.create_task(precomputation.run())
    try:
        await asyncio.sleep(0.3)
        assert await precomputation.count(ids) == 0
        idle[0] = 100.0
        for _ in range(400):
            if await precomputation.count(ids) == len(ids):
                break
            await asyncio.sleep(0.05)
        assert await precomputation.count(ids) == len(ids)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
