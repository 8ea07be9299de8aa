"""Exact vector search: every cosine, over an array that is mapped into memory."""

import asyncio
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, Groups, Hit
from tools.search.contents import fingerprint_of, read_contents

_FORMAT = 1
_VECTORS_FILE = "vectors.f32"
_CONTENTS_FILE = "contents.json"
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


class ExactVectorIndex:
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

    async def search(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks of ``groups`` (None: all) nearest to ``vector`` (shape ``(dimensions,)``).

        Raises:
            Unavailable: the library's vectors cannot be read just now.
        """
        return await asyncio.to_thread(self.find, vector, top_k, groups=groups)

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Do what ``search`` does in the caller's thread, which waits for it. Raises as ``search`` does."""
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
        """Say what the index holds."""
        return (await asyncio.to_thread(self._load)).fingerprint

    async def vectors_of(self, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors that the index holds of these chunks, each of shape ``(dimensions,)``."""
        snapshot = await asyncio.to_thread(self._load)
        rows = {chunk_id: row for row, chunk_id in enumerate(snapshot.ids)}
        return {chunk_id: snapshot.vectors[rows[chunk_id]] for chunk_id in ids if chunk_id in rows}

    async def synchronise(self) -> None:
        """Make the index hold exactly what SQL holds. Raises as ``search`` does."""
        await asyncio.to_thread(self._load)

    async def close(self) -> None:
        """Let the array go; a later search opens it again."""
        self._snapshot = None

    def _load(self) -> _Snapshot:
        with self._loading:
            version = self._store.version()
            if self._snapshot is None or self._snapshot.version != version:
                self._snapshot = self._read(version) if self._folder is None else self._open(self._folder, version)
            return self._snapshot

    def _read(self, version: int) -> _Snapshot:
        ids: list[str] = []
        groups: list[str] = []
        parts: list[Matrix] = []
        for some_ids, some_groups, vectors in self._store.searchable(embedder=self._embedder_name):
            ids += some_ids
            groups += some_groups
            parts.append(vectors)
        matrix = np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)
        return _snapshot(version, self._embedder_name, ids, groups, matrix)

    def _open(self, folder: Path, version: int) -> _Snapshot:
        contents = read_contents(self._store, self._embedder_name)
        place = folder / f"exact-{_FORMAT}-{contents.fingerprint.digest[:24]}"
        try:
            try:
                return _map(place, version, self._embedder_name, contents.fingerprint)
            except (OSError, ValueError, KeyError, TypeError):
                # Missing, cut short or changed: written again from SQL.
                shutil.rmtree(place, ignore_errors=True)
            place = self._write(folder)
            return _map(place, version, self._embedder_name, None)
        except OSError as error:
            # A full or read-only disk costs memory, not answers.
            _log.warning("vectors are kept in memory", folder=str(folder), reason=str(error))
            return self._read(version)
        finally:
            _remove_others(folder, place)

    def _write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".exact-", dir=folder))
        try:
            ids: list[str] = []
            groups: list[str] = []
            dimensions = 0
            with (draft / _VECTORS_FILE).open("wb") as file:
                for some_ids, some_groups, vectors in self._store.searchable(embedder=self._embedder_name):
                    ids += some_ids
                    groups += some_groups
                    dimensions = vectors.shape[1]
                    file.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
                file.flush()
                os.fsync(file.fileno())
            digest = fingerprint_of(self._embedder_name, ids, groups).digest
            described = {"ids": ids, "groups": groups, "dimensions": dimensions, "digest": digest}
            (draft / _CONTENTS_FILE).write_text(json.dumps(described), "utf-8")
            place = folder / f"exact-{_FORMAT}-{digest[:24]}"
            if not place.is_dir():
                try:
                    draft.rename(place)
                except OSError:
                    if not place.is_dir():
                        raise
            return place
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _map(place: Path, version: int, embedder_name: str, expected: Fingerprint | None) -> _Snapshot:
    described = json.loads((place / _CONTENTS_FILE).read_text("utf-8"))
    ids, groups, dimensions = described["ids"], described["groups"], int(described["dimensions"])
    file = place / _VECTORS_FILE
    if file.stat().st_size != len(ids) * dimensions * 4:
        raise ValueError(f"{file} has another size than its description says")
    matrix: Matrix = np.empty((0, 0), dtype=np.float32)
    if ids:
        # As a plain array: each view of a map costs the maker of maps some microseconds.
        matrix = np.asarray(np.memmap(file, dtype=np.float32, mode="r", shape=(len(ids), dimensions)))
    snapshot = _snapshot(version, embedder_name, ids, groups, matrix)
    if snapshot.fingerprint.digest != described["digest"] or (expected and snapshot.fingerprint != expected):
        raise ValueError(f"{place} holds something else than its description says")
    return snapshot


def _snapshot(version: int, embedder_name: str, ids: list[str], groups: list[str], matrix: Matrix) -> _Snapshot:
    fingerprint = fingerprint_of(embedder_name, ids, groups)
    names = tuple(sorted(set(groups)))
    place = {name: number for number, name in enumerate(names)}
    group_of = np.array([place[group] for group in groups], dtype=np.int32)
    return _Snapshot(version, tuple(ids), names, group_of, matrix, fingerprint)


def _remove_others(folder: Path, kept: Path) -> None:
    # A process that still has an older array mapped keeps its pages until it lets go of them.
    for other in folder.glob("exact-*"):
        if other != kept:
            shutil.rmtree(other, ignore_errors=True)
    # Left behind by processes that were killed while they wrote.
    for draft in folder.glob(".exact-*"):
        with suppress(OSError):
            if time.time() - draft.stat().st_mtime > _ABANDONED_AFTER_S:
                shutil.rmtree(draft, ignore_errors=True)
