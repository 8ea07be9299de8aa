"""Every vector index, called through the Protocol, over a real library."""

import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import numpy as np
import pytest

from library.store import LibraryStore
from tests.tools.chat.server import free_port
from tests.tools.search.libraries import EMBEDDER, open_library, put
from tools.embedding.base import Matrix
from tools.search.base import VectorIndex, fingerprint_of
from tools.search.chroma import ChromaVectorIndex
from tools.search.chroma_server import ChromaServerIndex
from tools.search.exact import ExactVectorIndex
from tools.search.fallback import FallbackVectorIndex


def unit(*rows: tuple[float, ...]) -> Matrix:
    matrix = np.asarray(rows, dtype=np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    return open_library(tmp_path)


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run Chroma's own server, and yield its address."""
    folder = tmp_path_factory.mktemp("chroma-server")
    port = str(free_port())
    program = Path(sys.executable).with_name("chroma")
    command = [program, "run", "--host", "127.0.0.1", "--port", port, "--path", str(folder)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/api/v2/heartbeat").status_code == 200:
                    break
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(params=["exact", "chroma", "chroma server", "chroma with exact"])
async def index(request: pytest.FixtureRequest, tmp_path: Path, store: LibraryStore) -> AsyncIterator[VectorIndex]:
    openers: dict[str, Callable[[], VectorIndex]] = {
        "exact": lambda: ExactVectorIndex(store, EMBEDDER),
        "chroma": lambda: ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER),
        "chroma server": lambda: ChromaServerIndex(
            request.getfixturevalue("chroma_server"),
            store,
            EMBEDDER,
            lock_file=tmp_path / "lock",
            name=f"golden-{uuid.uuid4().hex[:8]}",
        ),
        "chroma with exact": lambda: FallbackVectorIndex(
            ChromaVectorIndex(tmp_path / "chroma", store, EMBEDDER),
            ExactVectorIndex(store, EMBEDDER),
        ),
    }
    index = openers[request.param]()
    yield index
    await index.close()


async def ids(index: VectorIndex, vector: Matrix, top_k: int = 10, groups: frozenset[str] | None = None) -> list[str]:
    return [hit.chunk_id for hit in index.find(vector, top_k, groups=groups)]


async def test_hits_are_sorted_by_cosine(index: VectorIndex, store: LibraryStore) -> None:
    vectors = unit((1, 0, 0), (1, 1, 0), (0, 1, 0), (-1, 0, 0))
    await index.synchronise()
    assert index.find(vectors[0], 5) == ()
    assert (await index.fingerprint()).count == 0
    put(store, "other", unit((1, 0)), embedder="other-model@1")
    put(store, "a", vectors)
    await index.synchronise()
    hits = index.find(vectors[0], 3)
    assert [hit.chunk_id for hit in hits] == ["a-0", "a-1", "a-2"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.7071, 0.0], abs=1e-3)
    assert len(index.find(vectors[0], 1_000)) == 4
    assert index.find(vectors[0], 0) == ()


async def test_index_opens_on_first_search_reopens_and_filters_groups(index: VectorIndex, store: LibraryStore) -> None:
    put(store, "open", unit((0, 1, 0)))
    query = unit((1, 0, 0))[0]
    assert await ids(index, query) == ["open-0"]
    await index.close()
    put(store, "secret", unit((1, 0, 0)), group="board")
    put(store, "team", unit((1, 1, 0)), group="test lab")
    await index.synchronise()
    assert await ids(index, query, groups=frozenset({"everyone"})) == ["open-0"]
    assert await ids(index, query, groups=frozenset({"everyone", "test lab"})) == ["team-0", "open-0"]
    assert await ids(index, query, groups=frozenset()) == []
    assert await ids(index, query, groups=frozenset({"no such group"})) == []
    assert await ids(index, query) == ["secret-0", "team-0", "open-0"]


async def test_synchronising_follows_every_change(index: VectorIndex, store: LibraryStore) -> None:
    query = unit((1, 0, 0))[0]
    put(store, "a", unit((1, 0, 0), (0, 1, 0)))
    put(store, "b", unit((1, 1, 0)))
    await index.synchronise()
    assert await ids(index, query) == ["a-0", "b-0", "a-1"]
    put(store, "b", unit((1, 1, 0)), group="board")
    await index.synchronise()
    assert await ids(index, query, groups=frozenset({"everyone"})) == ["a-0", "a-1"]
    store.delete_document("a")
    await index.synchronise()
    assert await ids(index, query) == ["b-0"]
    assert await index.fingerprint() == fingerprint_of(EMBEDDER, store.searchable_groups(embedder=EMBEDDER))


async def test_search_matches_exact_cosines_on_many_vectors(index: VectorIndex, store: LibraryStore) -> None:
    random = np.random.default_rng(7)
    centres = random.standard_normal((20, 32))
    # In some rows, the differences between vectors are smaller than the rounding errors of the stored numbers.
    spread = [0.02 if row % 20 == 3 else 0.4 for row in range(600)]
    vectors = unit(*(centres[row % 20] + spread[row] * random.standard_normal(32) for row in range(600)))
    put(store, "a", vectors)
    await index.synchronise()
    if isinstance(index, FallbackVectorIndex):
        await index.settled()
        assert index.ready
    query = vectors[123]
    expected = {f"a-{row}" for row in np.argsort(-(vectors @ query))[:15]}
    found = set(await ids(index, query, 15))
    assert found == expected if isinstance(index, ExactVectorIndex) else len(expected & found) >= 14
