"""Exact vector search: every cosine, over an array that is mapped into memory."""

import asyncio
import os
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, Groups, Hit, VectorIndex
from tools.search.contents import Contents, contents_of, read_contents

_ABANDONED_AFTER_S = 3_600.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One state of the library, a row for each chunk; ``group_of`` says by its place in ``groups`` whose it is."""

    version: int
    ids: tuple[str, ...]
    groups: tuple[str, ...]
    group_of: NDArray[np.int32]
    vectors: Matrix
    fingerprint: Fingerprint

    def rows_of(self, groups: frozenset[str]) -> NDArray[np.intp] | None:
        """Return the rows of the chunks of ``groups``, or None where that is all of them."""
        readable = np.array([group in groups for group in self.groups], dtype=np.bool_)
        return None if readable.all() else np.flatnonzero(readable[self.group_of])


class ExactVectorIndex(VectorIndex):
    """Compares a vector with every vector that ``embedder_name`` made: exact, and quick up to some 200 000 chunks.

    ``folder`` keeps the array, one file for each state of the library, written whole before it is used; several
    processes may share it. Without a folder, or where it cannot be written, the array is kept in memory. Thread-safe.
    """

    def __init__(self, folder: Path | None, store: LibraryStore, embedder_name: str) -> None:
        self._folder = folder
        self._store = store
        self._embedder_name = embedder_name
        self._loading = threading.Lock()
        self._snapshot: _Snapshot | None = None

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        snapshot = self._snapshot or self._load()
        if not snapshot.ids or top_k < 1:
            return ()
        scores = snapshot.vectors @ np.asarray(vector, dtype=np.float32)
        rows = None if groups is None else snapshot.rows_of(groups)
        if rows is None:
            rows = np.arange(len(scores))
        else:
            scores = scores[rows]
        if len(rows) > top_k:
            nearest = np.argpartition(-scores, top_k - 1)[:top_k]
            rows, scores = rows[nearest], scores[nearest]
        # Equal scores stand in the order of their ids, so that the same library always answers alike.
        order = np.lexsort((rows, -scores))
        named = [snapshot.ids[row] for row in rows[order].tolist()]
        return tuple(map(Hit._make, zip(named, scores[order].tolist(), strict=True)))

    async def fingerprint(self) -> Fingerprint:
        return (await asyncio.to_thread(self._load)).fingerprint

    async def synchronise(self) -> None:
        await asyncio.to_thread(self._load)

    async def close(self) -> None:
        self._snapshot = None

    def _load(self) -> _Snapshot:
        with self._loading:
            version = self._store.version()
            if self._snapshot is None or self._snapshot.version != version:
                contents, vectors = self._read() if self._folder is None else self._open(self._folder)
                names = tuple(sorted(set(contents.groups.values())))
                place = {name: number for number, name in enumerate(names)}
                group_of = np.array([place[group] for group in contents.groups.values()], dtype=np.int32)
                ids = tuple(contents.groups)
                self._snapshot = _Snapshot(version, ids, names, group_of, vectors, contents.fingerprint)
            return self._snapshot

    def _read(self) -> tuple[Contents, Matrix]:
        groups: dict[str, str] = {}
        parts: list[Matrix] = []
        for ids, some_groups, vectors in self._store.searchable(embedder=self._embedder_name):
            groups.update(zip(ids, some_groups, strict=True))
            parts.append(vectors)
        matrix = np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)
        return contents_of(self._embedder_name, groups), matrix

    def _open(self, folder: Path) -> tuple[Contents, Matrix]:
        contents = read_contents(self._store, self._embedder_name)
        try:
            return contents, _map(folder, contents)
        except (OSError, ValueError, EOFError):
            # Missing, cut short or changed: written again from SQL.
            contents, vectors = self._read()
        try:
            _write(folder, contents, vectors)
            return contents, _map(folder, contents)
        except OSError as error:
            # A full or read-only disk costs memory, not answers.
            _log.warning("vectors are kept in memory", folder=str(folder), reason=str(error))
            return contents, vectors


def _file_of(folder: Path, contents: Contents) -> Path:
    return folder / f"exact-{contents.fingerprint.digest[:24]}.npy"


def _map(folder: Path, contents: Contents) -> Matrix:
    file = _file_of(folder, contents)
    # As a plain array: each view of a map costs the maker of maps some microseconds.
    matrix = np.asarray(np.load(file, mmap_mode="r" if contents.groups else None))
    if matrix.dtype != np.float32 or len(matrix) != len(contents.groups):
        raise ValueError(f"{file} holds something else than its name says")
    return matrix


def _write(folder: Path, contents: Contents, vectors: Matrix) -> None:
    """Write the array, whole or not at all, and remove those of other states of the library.

    A process that still has an older array mapped keeps its pages until it lets go of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = _file_of(folder, contents)
    with tempfile.NamedTemporaryFile(prefix=".exact-", dir=folder, delete=False) as draft:
        try:
            np.save(draft, vectors)
            draft.flush()
            os.fsync(draft.fileno())
            os.replace(draft.name, kept)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
    for other in folder.glob("exact-*"):
        if other != kept:
            other.unlink(missing_ok=True)
    # Left behind by processes that were killed while they wrote.
    for left in folder.glob(".exact-*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_AFTER_S:
                left.unlink()
