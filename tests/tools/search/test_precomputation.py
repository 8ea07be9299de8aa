"""What judging a passage needs is made before anybody asks, kept over restarts, and gone with the passage."""

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
from tools.search.precomputation import VectorPrecomputation
from tools.search.sentences import sentences_in

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
    store: LibraryStore, precomputed: PrecomputedVectors, embedder: HashingEmbedder | None = None
) -> VectorPrecomputation:
    return VectorPrecomputation(store, embedder or HashingEmbedder(dimensions=32), precomputed, idle_s=lambda: 100.0)


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
    assert await precomputation_of(store, vectors_in(tmp_path)).synchronise()
    inner = CountingEmbedder()
    with_precomputed = await judge(CachedEmbedder(inner, precomputed=vectors_in(tmp_path)), passages)
    assert set(inner.asked) == {QUESTION, "The rotor lasts for 7000 hours."}
    for found, plain in zip(with_precomputed, await judge(CachedEmbedder(CountingEmbedder()), passages), strict=True):
        np.testing.assert_allclose(found, plain, atol=2e-3)


async def test_answers_do_not_depend_on_what_was_prepared(store: LibraryStore, tmp_path: Path) -> None:
    document, _ = put(store, *PUMPS)
    before = await judge(
        CachedEmbedder(CountingEmbedder(), precomputed=vectors_in(tmp_path)), passages_of(store, document)
    )
    await precomputation_of(store, vectors_in(tmp_path)).synchronise()
    after = await judge(
        CachedEmbedder(CountingEmbedder(), precomputed=vectors_in(tmp_path)), passages_of(store, document)
    )
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


async def test_after_a_restart_nothing_is_made_again(store: LibraryStore, tmp_path: Path) -> None:
    put(store, *PUMPS)
    await precomputation_of(store, vectors_in(tmp_path)).synchronise()
    inner = CountingEmbedder()
    assert await precomputation_of(store, vectors_in(tmp_path), inner).synchronise()
    assert inner.asked == []


async def test_a_changed_document_is_prepared_anew_and_a_removed_one_forgotten(
    store: LibraryStore, tmp_path: Path
) -> None:
    precomputed = vectors_in(tmp_path)
    _, former = put(store, *PUMPS)
    inner = CountingEmbedder()
    precomputation = precomputation_of(store, precomputed, inner)
    await precomputation.synchronise()
    assert await precomputation.kept_of(former) == len(former)
    inner.asked.clear()
    document, now = put(store, PUMPS[0], "The fan runs at 60 °C.", version="2")
    await precomputation.synchronise()
    assert await precomputation.kept_of(former) == 0
    assert await precomputation.kept_of(now) == len(now)
    # What both versions say is made once more: their ids differ, and the former went first.
    assert "The fan runs at 60 °C." in inner.asked
    assert not any("Rotor" in text for text in inner.asked)
    store.delete_document(document.id)
    await precomputation.forget_gone()
    assert await precomputation.kept_of(now) == 0


async def test_a_full_file_ends_it_and_questions_go_on(store: LibraryStore, tmp_path: Path) -> None:
    document, _ = put(store, *PUMPS)
    precomputed = vectors_in(tmp_path, most_bytes=1)
    assert await precomputation_of(store, precomputed).synchronise()
    assert precomputed.owners() == set()
    soft, scores = await judge(
        CachedEmbedder(CountingEmbedder(), precomputed=precomputed), passages_of(store, document)
    )
    assert soft.size
    assert scores.size


async def test_what_another_process_has_taken_on_is_left_to_it(store: LibraryStore, tmp_path: Path) -> None:
    _, ids = put(store, *PUMPS)
    assert vectors_in(tmp_path).claim(ids[0])
    precomputation = precomputation_of(store, vectors_in(tmp_path))
    assert not await precomputation.synchronise()
    assert await precomputation.kept_of(ids) == len(ids) - 1


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
        assert await precomputation.kept_of(ids) == 0
        idle[0] = 100.0
        for _ in range(400):
            if await precomputation.kept_of(ids) == len(ids):
                break
            await asyncio.sleep(0.05)
        assert await precomputation.kept_of(ids) == len(ids)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
