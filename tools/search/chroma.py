"""Approximate vector search with Chroma, as an index that is derived from SQL and never trusted blindly.

Killing a process may damage Chroma's files, and if two processes use one folder, rows are lost without an error. So
only one process uses the folder, its content is compared with SQL and corrected, and a damaged index is rebuilt.
"""

import asyncio
import fcntl
import logging
import shutil
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

from contracts.errors import Conflict, NotFound, Unavailable
from contracts.search import Groups, Hit
from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, VectorIndex, fingerprint_of

_COLLECTION = "chunks"
_BATCH = 2_000
# Chroma rewrites its graph in place after sync_threshold new vectors, and killing the process then damages the graph.
# With a number that is never reached, the vectors remain in a log in Chroma's SQLite file, replayed when opened.
_GRAPH = {"space": "cosine", "ef_construction": 200, "ef_search": 200, "sync_threshold": 100_000_000}

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class ChromaVectorIndex(VectorIndex):
    """Searches the vectors of ``embedder_name`` with Chroma, which runs in this process and stores them in ``folder``.

    The folder is opened on first use, which takes seconds if there are many chunks. Thread-safe.
    """

    def __init__(self, folder: Path, store: LibraryStore, embedder_name: str) -> None:
        self._folder = folder
        self._store = store
        self._embedder_name = embedder_name
        self._changing = threading.Lock()
        self._owned: IO[str] | None = None
        self._client: Any = None
        self._collection: Any = None
        self._version = -1

    async def fingerprint(self) -> Fingerprint:
        return await asyncio.to_thread(self._fingerprint)

    async def synchronise(self) -> None:
        await asyncio.to_thread(self._synchronise)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        if self._collection is None:
            self._synchronise()
        collection = self._collection
        if collection is None:
            raise Unavailable("The vector index was closed during the search. Try again.")
        if top_k < 1 or (groups is not None and not groups):
            return ()
        where = None if groups is None else {"group": {"$in": sorted(groups)}}
        found = _calling(
            lambda: collection.query(query_embeddings=[vector], n_results=top_k, where=where, include=["distances"])
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        hits = [Hit(chunk_id, 1.0 - float(distance)) for chunk_id, distance in pairs]
        return tuple(sorted(hits, key=lambda hit: (-hit[1], hit[0])))

    def _fingerprint(self) -> Fingerprint:
        with self._changing:
            if self._collection is None:
                self._open()
            held = _calling(lambda: _held(self._collection))
        return fingerprint_of(self._embedder_name, dict(sorted(held.items())))

    def _synchronise(self) -> None:
        with self._changing:
            version = self._store.version()
            if self._collection is not None and self._version == version and self._is_whole():
                return
            self._own()
            contents = self._store.searchable_groups(embedder=self._embedder_name)
            try:
                self._open()
                self._apply(contents)
                self._search_once(contents)
            except Unavailable as error:
                _log.warning("the vector index in %s is rebuilt: %s", self._folder, error)
                self._rebuild(contents)
            self._version = version

    def _is_whole(self) -> bool:
        # A folder that was deleted while in use still works with open files, but would be missing at the next start.
        return any(self._folder.glob("*/chroma.sqlite3"))

    def _rebuild(self, contents: Mapping[str, str]) -> None:
        try:
            self._discard()
            self._open()
            self._apply(contents)
            self._search_once(contents)
        except Exception:
            # An incomplete index must not be searched.
            self._release()
            raise

    def _discard(self) -> None:
        self._release()
        _remove(self._folder.glob("*") if self._folder.is_dir() else [self._folder])

    def _own(self) -> None:
        if self._owned is not None:
            return
        try:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            lock = self._folder.with_name(self._folder.name + ".lock").open("w")
        except OSError as error:
            raise Unavailable(f"The vector index cannot be stored in {self._folder}: {error}.") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise Conflict(
                f"Another process uses the vector index in {self._folder}. Stop it, or choose another folder."
            ) from error
        self._owned = lock

    def _open(self) -> None:
        self._own()
        if self._collection is not None and self._is_whole():
            return
        self._release()
        _calling(self._connect)

    def _connect(self) -> None:
        import chromadb
        from chromadb.config import Settings

        # Each new index gets its own folder, because Chroma keeps state by path while the process runs.
        lives = sorted(self._folder.glob("index-*"))
        place = lives[0] if len(lives) == 1 else self._folder / f"index-{uuid.uuid4().hex[:12]}"
        if len(lives) > 1:
            _remove(lives)
        place.mkdir(parents=True, exist_ok=True)
        self._client = chromadb.PersistentClient(path=str(place), settings=Settings(anonymized_telemetry=False))
        self._collection = self._made_collection(_COLLECTION)

    def _made_collection(self, name: str) -> Any:
        described = {"embedder": self._embedder_name}
        collection = self._client.get_or_create_collection(
            name, embedding_function=None, configuration={"hnsw": _GRAPH}, metadata=described
        )
        if (collection.metadata or {}).get("embedder") != self._embedder_name:
            raise Unavailable("the index contains vectors from a different model")
        return collection

    def _apply(self, contents: Mapping[str, str]) -> None:
        held = _calling(lambda: _held(self._collection))
        gone = [chunk_id for chunk_id in held if chunk_id not in contents]
        for start in range(0, len(gone), _BATCH):
            _calling(partial(self._collection.delete, ids=gone[start : start + _BATCH]))
        wrong = [chunk_id for chunk_id, group in contents.items() if held.get(chunk_id) != group]
        for start in range(0, len(wrong), _BATCH):
            ids = wrong[start : start + _BATCH]
            described = [{"group": contents[chunk_id]} for chunk_id in ids]
            # If a chunk has been deleted in the meantime, the next synchronisation adds the other chunks.
            with suppress(NotFound):
                vectors = self._store.vectors(ids)
                _calling(partial(self._collection.upsert, ids=ids, embeddings=vectors, metadatas=described))

    def _search_once(self, contents: Mapping[str, str]) -> None:
        """Search for one chunk: the first search replays Chroma's log, which takes minutes for 100,000 chunks."""
        # If the chunk has been deleted in the meantime, the next synchronisation searches for one.
        with suppress(NotFound):
            for vector in self._store.vectors(list(contents)[:1]):
                _calling(partial(self._collection.query, query_embeddings=[vector], n_results=1))

    def _release(self) -> None:
        client, self._client, self._collection, self._version = self._client, None, None, -1
        if client is not None:
            try:
                client.close()
            except Exception as error:
                # The index is released in any case; its content is compared with SQL before it is used again.
                _log.warning("the vector index in %s did not close: %s", self._folder, error)

    def _close(self) -> None:
        with self._changing:
            self._release()
            if self._owned is not None:
                self._owned.close()
                self._owned = None


def _calling(call: Callable[[], _Result]) -> _Result:
    """Call Chroma; any error (there are many classes, some from Rust) means that the index is unusable.

    Raises:
        Unavailable: Chroma raised an error.
    """
    try:
        return call()
    except Unavailable:
        raise
    except BaseException as error:
        # A panic in Chroma's Rust code is raised as a BaseException.
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        raise Unavailable(f"The vector index failed ({type(error).__name__}: {error}). It is being rebuilt.") from error


def _held(collection: Any) -> Mapping[str, str]:
    found: dict[str, str] = {}
    while True:
        page = collection.get(limit=_BATCH, offset=len(found), include=["metadatas"])
        if not page["ids"]:
            return found
        found.update(
            (chunk_id, str((metadata or {}).get("group", "")))
            for chunk_id, metadata in zip(page["ids"], page["metadatas"], strict=True)
        )


def _remove(places: Iterable[Path]) -> None:
    for place in places:
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
