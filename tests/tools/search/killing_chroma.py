"""Kill a process while Chroma writes its files, again and again, and look at what the next one makes of them.

    python -m tests.tools.search.killing_chroma FOLDER [KILLS [FLUSH-EVERY]]

Each life of the index takes up some hundred changed vectors and is killed (SIGKILL) within a millisecond after one of
Chroma's files has changed: the graph's files in most lives, where FLUSH-EVERY is low, the log elsewhere. The next life
must open, hold what SQL holds, and find what was asked by its own vector. Each process is a fork of this one.
"""

import asyncio
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrating import migrate
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.chroma import ChromaVectorIndex
from tools.search.contents import read_contents

EMBEDDER = "test-model@1"
_SETTLED = 400
_CHANGED = 250
_MOST_S = 120.0


def put(store: LibraryStore, name: str, seed: int, rows: int) -> None:
    """Store a document with one passage for each vector; another version of it has other passages."""
    vectors = vectors_of(seed, rows)
    document = Document(id=name, name=name, path=f"/{name}", media_type="t", content_hash="h", title="", pages=1)
    chunks = [
        Chunk(
            id=f"{name}-{seed}-{row:04}",
            document_id=name,
            kind="passage",
            ordinal=row,
            text=f"{row}",
            page=1,
            last_page=1,
        )
        for row in range(len(vectors))
    ]
    store.replace_document(document, chunks, vectors, embedder=EMBEDDER)


def vectors_of(seed: int, rows: int) -> Matrix:
    vectors = np.random.default_rng(seed).standard_normal((rows, 32)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def open_store(folder: Path) -> LibraryStore:
    return LibraryStore(open_database(f"sqlite:///{folder / 'library.db'}"))


def begin(folder: Path, flush_every: int) -> None:
    """Make a library, and an index of it that closed in peace."""
    store = open_store(folder)
    migrate(store.engine, LIBRARY)
    put(store, "settled", 1, _SETTLED)
    follow(folder, flush_every, 0)


def follow(folder: Path, flush_every: int, life: int) -> None:
    """Change the library and let the index follow, step by step."""

    async def work() -> None:
        store = open_store(folder)
        index = ChromaVectorIndex(folder / "chroma", store, EMBEDDER, flush_every=flush_every)
        for step in range(4 if life else 1):
            put(store, f"changing-{(life + step) % 3}", 10 * life + step, _CHANGED)
            await index.synchronise()
        await index.close()

    asyncio.run(work())


def check(folder: Path, flush_every: int) -> None:
    """See that the index opens, holds what SQL holds and finds it."""

    async def look() -> None:
        store = open_store(folder)
        index = ChromaVectorIndex(folder / "chroma", store, EMBEDDER, flush_every=flush_every)
        await index.synchronise()
        assert await index.fingerprint() == read_contents(store, EMBEDDER).fingerprint, (
            "it does not hold what SQL holds"
        )
        ids = store.searchable_ids(embedder=EMBEDDER)[::7]
        found = await index.vectors_of(ids)
        lost = 0
        for chunk_id, vector in zip(ids, store.vectors(ids), strict=True):
            assert np.allclose(found[chunk_id], vector, atol=1e-5), f"{chunk_id} has another vector than in SQL"
            lost += chunk_id not in [hit.chunk_id for hit in await index.search(vector, 3)]
        # The search is approximate.
        assert lost <= len(ids) // 50, f"{lost} of {len(ids)} are not found"
        await index.close()

    asyncio.run(look())


def fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def wait_for(child: int) -> int:
    """Return the exit status of a process that has to end by itself."""
    end = time.monotonic() + _MOST_S
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError(f"it did not end within {_MOST_S:g} s")


def _states(folder: Path) -> Iterator[tuple[str, int, int]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                stat = os.stat(os.path.join(parent, name))
            except FileNotFoundError:
                continue
            yield os.path.join(parent, name), stat.st_size, stat.st_mtime_ns


def kill_at_change(child: int, folder: Path, count: int, *, graph_only: bool) -> str:
    """Kill ``child`` as soon as files in ``folder`` have changed ``count`` times; return which did, "" if it ended."""
    before, seen = set(_states(folder)), 0
    while True:
        now = set(_states(folder))
        changed = [place for place, *_ in now - before if place.endswith((".bin", ".pickle")) or not graph_only]
        seen += len(changed)
        if changed and seen >= count:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Path(changed[0]).name
        before = now
        if os.waitpid(child, os.WNOHANG)[0]:
            return ""


def kill_while_it_writes(folder: Path, kills: int, flush_every: int) -> dict[str, int]:
    """Kill so many times; return at which files.

    Raises:
        AssertionError: a later life could not make the index whole.
    """
    import chromadb  # noqa: F401 - loaded once, before the forks

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    assert wait_for(fork(partial(begin, folder, flush_every))) == 0
    dice = random.Random(7)
    at: dict[str, int] = {}
    for life in range(1, kills + 1):
        child = fork(partial(follow, folder, flush_every, life))
        graph_only = life % 4 != 0 and flush_every < _CHANGED
        name = kill_at_change(child, folder / "chroma", dice.randint(1, 24), graph_only=graph_only)
        at[name] = at.get(name, 0) + 1
        assert wait_for(fork(partial(check, folder, flush_every))) == 0, f"life {life}, killed at {name or 'its end'}"
    return at


if __name__ == "__main__":
    place, *more = sys.argv[1:]
    told = kill_while_it_writes(Path(place), int(more[0]) if more else 100, int(more[1]) if len(more) > 1 else 100)
    print(f"{sum(told.values()) - told.get('', 0)} kills, at {told}")
