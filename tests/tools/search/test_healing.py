"""Vector indexes that were torn, deleted, shared or taken: they heal from SQL, and something always answers."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import Conflict
from library.store import LibraryStore
from tests.tools.search.libraries import EMBEDDER, open_library, put
from tools.embedding.base import Matrix
from tools.search.base import fingerprint_of
from tools.search.chroma import ChromaVectorIndex
from tools.search.exact import ExactVectorIndex
from tools.search.fallback import FallbackVectorIndex


def random_vectors(seed: int, rows: int = 300) -> Matrix:
    vectors = np.random.default_rng(seed).standard_normal((rows, 16)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    store = open_library(tmp_path)
    put(store, "a", random_vectors(1))
    return store


async def whole(index: ChromaVectorIndex | ExactVectorIndex | FallbackVectorIndex, store: LibraryStore) -> bool:
    """Say whether the index holds what SQL holds, and finds each tenth chunk by its own vector."""
    if await index.fingerprint() != fingerprint_of(EMBEDDER, store.searchable_groups(embedder=EMBEDDER)):
        return False
    ids = store.searchable_ids(embedder=EMBEDDER)[::10]
    for chunk_id, vector in zip(ids, store.vectors(ids), strict=True):
        hits = index.find(vector, 3)
        if chunk_id not in [hit.chunk_id for hit in hits]:
            return False
    return True


def cut_database(folder: Path) -> None:
    (file,) = folder.rglob("chroma.sqlite3")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


@pytest.mark.parametrize("damage", [shutil.rmtree, cut_database])
async def test_damaged_chroma_index_is_rebuilt_when_opened(
    tmp_path: Path, store: LibraryStore, damage: Callable[[Path], None]
) -> None:
    folder = tmp_path / "chroma"
    first = ChromaVectorIndex(folder, store, EMBEDDER)
    await first.synchronise()
    await first.close()
    damage(folder)
    again = ChromaVectorIndex(folder, store, EMBEDDER)
    await again.synchronise()
    assert await whole(again, store)
    # It also recovers if its folder is deleted while it is open.
    shutil.rmtree(folder)
    put(store, "b", random_vectors(2, 5))
    await again.synchronise()
    assert await whole(again, store)
    await again.close()


async def test_chroma_index_is_rebuilt_for_another_model(tmp_path: Path, store: LibraryStore) -> None:
    first = ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER)
    await first.synchronise()
    await first.close()
    wider = np.hstack([random_vectors(1), random_vectors(4)]) / np.float32(2**0.5)
    put(store, "a", wider, embedder="wider-model@1")
    second = ChromaVectorIndex(tmp_path / "chroma", store, "wider-model@1")
    await second.synchronise()
    (hit,) = second.find(wider[7], 1)
    assert hit.chunk_id == "a-7"
    await second.close()


async def test_second_process_uses_exact_search_while_the_folder_is_locked(tmp_path: Path, store: LibraryStore) -> None:
    owner = ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER)
    await owner.synchronise()
    other = ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER)
    with pytest.raises(Conflict, match="Another process uses the vector index"):
        other.find(random_vectors(1)[0], 1)
    both = FallbackVectorIndex(other, ExactVectorIndex(store, EMBEDDER), retry_owned_s=0.05)
    await both.synchronise()
    await both.settled()
    assert not both.ready
    assert await whole(both, store)
    await owner.close()
    async with asyncio.timeout(30):
        while not both.ready:  # noqa: ASYNC110 - it changes in another task
            await asyncio.sleep(0.05)
    assert await whole(both, store)
    await both.close()


async def test_exact_index_follows_changed_documents(store: LibraryStore) -> None:
    running, other = ExactVectorIndex(store, EMBEDDER), ExactVectorIndex(store, EMBEDDER)
    put(store, "b", random_vectors(2, 5))
    await running.synchronise()
    await other.synchronise()
    put(store, "b", random_vectors(3, 7))
    put(store, "c", random_vectors(4, 5))
    await running.synchronise()
    assert await whole(running, store)
    # The other one still answers from its own state until it is synchronised.
    assert (other.find(random_vectors(2, 5)[3], 1))[0].chunk_id == "b-3"
    # If most of its vectors are gone, it reads all of them again.
    put(store, "a", random_vectors(5, 3))
    store.delete_document("b")
    for index in (running, other):
        await index.synchronise()
        assert await whole(index, store)
    store.delete_document("a")
    store.delete_document("c")
    await running.synchronise()
    assert running.find(random_vectors(1)[0], 5) == ()
