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
    version: int
    ids: tuple[str, ...]
    groups: NDArray[np.str_]
    vectors: Matrix
    fingerprint: Fingerprint


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
        return await asyncio.to_thread(self._search, vector, top_k, groups)

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

    def _search(self, vector: Matrix, top_k: int, groups: Groups) -> tuple[Hit, ...]:
        snapshot = self._snapshot or self._load()
        if not snapshot.ids or top_k < 1:
            return ()
        scores = snapshot.vectors @ np.asarray(vector, dtype=np.float32)
        rows = np.arange(len(scores))
        if groups is not None:
            rows = np.flatnonzero(np.isin(snapshot.groups, sorted(groups)))
        if len(rows) > top_k:
            rows = rows[np.argpartition(-scores[rows], top_k - 1)[:top_k]]
        # Equal scores stand in the order of their ids, so that the same library always answers alike.
        best = sorted(rows.tolist(), key=lambda row: (-scores[row], row))
        return tuple(Hit(chunk_id=snapshot.ids[row], score=float(scores[row])) for row in best)

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
        matrix = np.memmap(file, dtype=np.float32, mode="r", shape=(len(ids), dimensions))
    snapshot = _snapshot(version, embedder_name, ids, groups, matrix)
    if snapshot.fingerprint.digest != described["digest"] or (expected and snapshot.fingerprint != expected):
        raise ValueError(f"{place} holds something else than its description says")
    return snapshot


def _snapshot(version: int, embedder_name: str, ids: list[str], groups: list[str], matrix: Matrix) -> _Snapshot:
    fingerprint = fingerprint_of(embedder_name, ids, groups)
    return _Snapshot(version, tuple(ids), np.asarray(groups, dtype=np.str_), matrix, fingerprint)


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
