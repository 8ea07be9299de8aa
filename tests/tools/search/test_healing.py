"""Vector indexes that were torn, deleted, shared or taken: they heal from SQL, and something always answers."""

import asyncio
import os
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

SIZE = 300


def random_vectors(seed: int, rows: int = SIZE) -> Matrix:
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
        hits = await index.search(vector, 3)
        if chunk_id not in [hit.chunk_id for hit in hits]:
            return False
    return True


def damage_database(folder: Path, content: Callable[[bytes], bytes]) -> None:
    (file,) = folder.rglob("chroma.sqlite3")
    file.write_bytes(content(file.read_bytes()))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "gone": shutil.rmtree,
    "overwritten": lambda folder: damage_database(folder, lambda _: os.urandom(50_000)),
    "cut": lambda folder: damage_database(folder, lambda content: content[: len(content) // 2]),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damaged_chroma_index_is_rebuilt_when_opened(tmp_path: Path, store: LibraryStore, damage: str) -> None:
    folder = tmp_path / "chroma"
    first = ChromaVectorIndex(folder, store, EMBEDDER)
    await first.synchronise()
    await first.close()
    DAMAGES[damage](folder)
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
    (hit,) = await second.search(wider[7], 1)
    assert hit.chunk_id == "a-7"
    await second.close()


async def test_second_process_uses_exact_search_while_the_folder_is_locked(tmp_path: Path, store: LibraryStore) -> None:
    owner = ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER)
    await owner.synchronise()
    other = ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER)
    with pytest.raises(Conflict, match="Another process uses the vector index"):
        await other.search(random_vectors(1)[0], 1)
    both = FallbackVectorIndex(other, ExactVectorIndex(tmp_path / "vectors", store, EMBEDDER), retry_owned_s=0.05)
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


@pytest.mark.parametrize("size", [0, 100, 1_000])
@pytest.mark.parametrize("name", ["vectors.npy", "ids.npy", "documents.json"])
async def test_damaged_vector_files_are_rewritten(tmp_path: Path, store: LibraryStore, name: str, size: int) -> None:
    folder = tmp_path / "vectors"
    first = ExactVectorIndex(folder, store, EMBEDDER)
    await first.synchronise()
    await first.close()
    (file,) = folder.glob(f"*/{name}")
    file.write_bytes(file.read_bytes()[:size] + b"\xff" * (name == "documents.json"))
    assert await whole(ExactVectorIndex(folder, store, EMBEDDER), store)
    assert len(list(folder.iterdir())) == 1


async def test_processes_share_one_vector_file_and_delete_old_ones(tmp_path: Path, store: LibraryStore) -> None:
    folder = tmp_path / "vectors"
    one = ExactVectorIndex(folder, store, EMBEDDER)
    two = ExactVectorIndex(folder, store, EMBEDDER)
    await one.synchronise()
    await two.synchronise()
    put(store, "b", random_vectors(2, 5))
    await one.synchronise()
    # The second still answers from its own state until it is synchronised.
    assert (await two.search(random_vectors(1)[5], 1))[0].chunk_id == "a-5"
    await two.synchronise()
    assert await whole(one, store)
    assert await whole(two, store)
    assert len(list(folder.iterdir())) == 1


async def test_vector_file_is_rewritten_only_for_large_changes(tmp_path: Path, store: LibraryStore) -> None:
    folder = tmp_path / "vectors"
    put(store, "b", random_vectors(2, 5))
    running = ExactVectorIndex(folder, store, EMBEDDER)
    await running.synchronise()
    (file,) = folder.iterdir()
    put(store, "a", random_vectors(3, 7))
    store.delete_document("b")
    put(store, "c", random_vectors(4, 5))
    await running.synchronise()
    assert await whole(running, store)
    put(store, "c", random_vectors(5, 3))
    for index in (running, ExactVectorIndex(folder, store, EMBEDDER)):
        await index.synchronise()
        assert await whole(index, store)
        assert list(folder.iterdir()) == [file]
    put(store, "d", random_vectors(6, 1_200))
    await running.synchronise()
    assert await whole(running, store)
    (written,) = folder.iterdir()
    assert written != file


async def test_vectors_stay_in_memory_if_the_folder_is_read_only(tmp_path: Path, store: LibraryStore) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert await whole(ExactVectorIndex(blocked / "vectors", store, EMBEDDER), store)
