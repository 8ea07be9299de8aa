"""Exact search over vectors mapped into memory: all with rounded numbers, the nearest with exact ones."""

import asyncio
import hashlib
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from library.store import LibraryStore
from library.versions import document_vectors, document_versions
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, Groups, Hit, VectorIndex, fingerprint_of

_ABANDONED_AFTER_S = 3_600.0
# The file is rewritten once this many rows, and a tenth of it, have changed: at a million chunks writing it takes a
# minute.
_LEAST_CHANGED = 1_000
_CHANGED_SHARE = 0.1

# This many numbers are compared at once: they fit into the processor's cache, and OpenBLAS does not split them among
# threads, which would wait for each other. With other work on the machine, larger products took more than ten times as
# long.
_AT_ONCE = 2**18

# Files with another layout are not read.
_LAYOUT = 2
_ROWS_A_PART = 10_000
# For a vector of zeros, to avoid a division by zero.
_LEAST_STEP = 1e-30

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Vectors with the ids of their chunks, and the indexes of their documents in ``documents``.

    ``documents`` holds the mark of each document's version, by its id, also of those without rows. Rows of a file have
    ``rounded`` vectors, too: ``rounded * steps`` is at most half a step away in each number.
    """

    documents: Mapping[str, str]
    ids: NDArray[np.bytes_]
    document_of: NDArray[np.int32]
    vectors: Matrix
    rounded: NDArray[np.int8] | None = None
    steps: NDArray[np.float32] | None = None

    def only(self, documents: Mapping[str, str]) -> "_Rows":
        """Return the rows of those documents whose version is the one in ``documents``."""
        kept = {name: mark for name, mark in self.documents.items() if documents.get(name) == mark}
        place = {name: number for number, name in enumerate(kept)}
        new_place = np.array([place.get(name, -1) for name in self.documents], dtype=np.int32)
        document_of = new_place[self.document_of]
        rows = document_of >= 0
        return _Rows(kept, self.ids[rows], document_of[rows], self.vectors[rows])

    def estimates(self, vector: Matrix) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return a score for each row, and how far it may be from the true one."""
        if self.rounded is None or self.steps is None:
            return self.vectors @ vector, np.zeros(len(self.ids), np.float32)
        scores = np.empty(len(self.ids), np.float32)
        some = np.empty((max(1, _AT_ONCE // len(vector)), len(vector)), np.float32)
        for start in range(0, len(scores), len(some)):
            part = slice(start, start + len(some))
            rows = some[: len(scores[part])]
            np.copyto(rows, self.rounded[part])
            np.dot(rows, vector, out=scores[part])
        # By Cauchy-Schwarz: the length of the vector times that of the rounding error.
        furthest = np.float32(np.linalg.norm(vector) * len(vector) ** 0.5 / 2)
        return scores * self.steps, furthest * self.steps

    def hits(self, rows: NDArray[np.intp], vector: Matrix) -> list[Hit]:
        if not len(rows):
            return []
        # Selecting most rows would copy the whole file into memory.
        few = len(rows) < len(self.ids) // 8
        scores = self.vectors[rows] @ vector if few else (self.vectors @ vector)[rows]
        return [Hit(id.decode(), score) for id, score in zip(self.ids[rows].tolist(), scores.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One state of the library: the rows of ``stored``, then those of ``changed``.

    ``group_of`` is the index of each row's group in ``groups``, -1 for rows that are gone.
    """

    version: int
    stored: _Rows
    changed: _Rows
    groups: tuple[str, ...]
    group_of: NDArray[np.int32]
    whole: bool

    def rows_of(self, groups: Groups) -> NDArray[np.intp] | None:
        """Return the rows of the chunks of ``groups`` (None: all), or None if that is every row."""
        readable = np.array([*(groups is None or group in groups for group in self.groups), False], dtype=np.bool_)
        return None if self.whole and readable[:-1].all() else np.flatnonzero(readable[self.group_of])

    def nearest(self, vector: Matrix, top_k: int, groups: Groups) -> list[Hit]:
        """Return the ``top_k`` chunks of ``groups`` nearest to ``vector``, and some more, in any order."""
        parts = [rows for rows in (self.stored, self.changed) if len(rows.ids)]
        scores, errors = map(np.concatenate, zip(*(rows.estimates(vector) for rows in parts), strict=True))
        rows = self.rows_of(groups)
        if rows is None:
            rows = np.arange(len(scores))
        else:
            scores, errors = scores[rows], errors[rows]
        if len(rows) > top_k:
            # The best ``top_k`` chunks score at least this much: every chunk that may reach it is compared exactly.
            least = np.partition(scores - errors, -top_k)[-top_k]
            rows = rows[scores + errors >= least]
        before = len(self.stored.ids)
        of_stored, of_changed = rows[rows < before], rows[rows >= before] - before
        return [*self.stored.hits(of_stored, vector), *self.changed.hits(of_changed, vector)]

    def contents(self) -> Mapping[str, str]:
        rows = np.flatnonzero(self.group_of >= 0)
        ids = [id.decode() for id in np.concatenate([self.stored.ids, self.changed.ids])[rows].tolist()]
        groups = [self.groups[place] for place in self.group_of[rows].tolist()]
        return dict(sorted(zip(ids, groups, strict=True)))


class ExactVectorIndex(VectorIndex):
    """Compares a vector with every vector that ``embedder_name`` made: exact, about 100 ms for a million chunks.

    All are compared with numbers rounded to bytes, a quarter of the data; those that may be among the nearest, given
    the rounding error, with the exact numbers.

    ``folder`` keeps the vectors in one file, written completely before it is used; several processes may share it. What
    changed since it was written is read from SQL. Without a folder, or if it is not writable, everything is kept in
    memory. Thread-safe.
    """

    def __init__(self, folder: Path | None, store: LibraryStore, embedder_name: str) -> None:
        self._folder = folder
        self._store = store
        self._embedder_name = embedder_name
        self._loading = threading.Lock()
        self._snapshot: _Snapshot | None = None

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        snapshot = self._snapshot or self._load()
        if not len(snapshot.group_of) or top_k < 1:
            return ()
        hits = snapshot.nearest(np.asarray(vector, dtype=np.float32), top_k, groups)
        # Equal scores are ordered by id, so that the same library always gives the same results.
        return tuple(sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:top_k])

    async def fingerprint(self) -> Fingerprint:
        snapshot = await asyncio.to_thread(self._load)
        return await asyncio.to_thread(lambda: fingerprint_of(self._embedder_name, snapshot.contents()))

    async def synchronise(self) -> None:
        await asyncio.to_thread(self._load)

    async def close(self) -> None:
        self._snapshot = None

    def _load(self) -> _Snapshot:
        with self._loading:
            version = self._store.version()
            if self._snapshot is None or self._snapshot.version != version:
                self._snapshot = self._follow(version)
            return self._snapshot

    def _follow(self, version: int) -> _Snapshot:
        """Return the state of the library now, at ``version`` or later."""
        group_and_mark = document_versions(self._store.engine)
        now = {document_id: mark for document_id, (_, mark) in group_and_mark.items()}
        if self._snapshot is not None:
            stored, changed = self._snapshot.stored, self._snapshot.changed
        else:
            stored, changed = (self._folder and _read(self._folder, self._embedder_name)) or _NO_ROWS, _NO_ROWS
        changed = changed.only(now)
        held = {name for name, mark in stored.documents.items() if now.get(name) == mark} | changed.documents.keys()
        changed = _joined([changed, self._from_sql({name: mark for name, mark in now.items() if name not in held})])
        if stored is _NO_ROWS or len(changed.ids) > max(_LEAST_CHANGED, _CHANGED_SHARE * len(stored.ids)):
            stored, changed = self._written([stored.only(now), changed]), _NO_ROWS
        groups = tuple(sorted({group for group, _ in group_and_mark.values()}))
        place = {group: number for number, group in enumerate(groups)}
        group_of = np.concatenate([_groups_of(rows, group_and_mark, place) for rows in (stored, changed)])
        return _Snapshot(version, stored, changed, groups, group_of, bool((group_of >= 0).all()))

    def _from_sql(self, documents: Mapping[str, str]) -> _Rows:
        place = {name: number for number, name in enumerate(documents)}
        ids: list[bytes] = []
        document_of: list[int] = []
        parts: list[Matrix] = []
        read = document_vectors(self._store.engine, place, embedder=self._embedder_name)
        for chunk_ids, of_documents, vectors in read:
            ids += [chunk_id.encode() for chunk_id in chunk_ids]
            document_of += [place[name] for name in of_documents]
            parts.append(vectors)
        matrix = np.concatenate(parts) if parts else _NO_ROWS.vectors
        return _Rows(documents, np.array(ids, dtype=np.bytes_), np.array(document_of, dtype=np.int32), matrix)

    def _written(self, parts: Sequence[_Rows]) -> _Rows:
        """Return the rows of ``parts`` as one, from a new file if one can be written."""
        if self._folder is not None:
            try:
                return _write(self._folder, self._embedder_name, parts)
            except OSError as error:
                # A full or read-only disk costs memory, not answers.
                _log.warning("vectors are kept in memory, not in %s: %s", self._folder, error)
        return _joined(parts)


_NO_ROWS = _Rows({}, np.empty(0, np.bytes_), np.empty(0, np.int32), np.empty((0, 0), np.float32))


def _joined(parts: Iterable[_Rows]) -> _Rows:
    some = [rows for rows in parts if rows.documents]
    if len(some) < 2:
        return some[0] if some else _NO_ROWS
    starts = np.cumsum([0, *(len(rows.documents) for rows in some)])
    return _Rows(
        {name: mark for rows in some for name, mark in rows.documents.items()},
        np.concatenate([rows.ids for rows in some]),
        np.concatenate([rows.document_of + np.int32(start) for rows, start in zip(some, starts, strict=False)]),
        np.concatenate([rows.vectors for rows in some if len(rows.ids)] or [_NO_ROWS.vectors]),
    )


def _groups_of(
    rows: _Rows, group_and_mark: Mapping[str, tuple[str, str]], place: Mapping[str, int]
) -> NDArray[np.int32]:
    """Return the index of the group of each row, -1 for rows of another version than the stored one."""
    of_documents = []
    for name, mark in rows.documents.items():
        group, stored = group_and_mark.get(name, ("", None))
        of_documents.append(place[group] if stored == mark else -1)
    return np.array(of_documents, dtype=np.int32)[rows.document_of]


def _read(folder: Path, embedder_name: str) -> _Rows | None:
    """Map the newest file of this model, or return None if there is none, or it was truncated or changed."""
    files = sorted(folder.glob(f"{_prefix_of(embedder_name)}*"), key=lambda file: file.stat().st_mtime)
    try:
        return _map(files[-1]) if files else None
    except (OSError, ValueError, EOFError):
        return None


def _map(path: Path) -> _Rows:
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        start = file.tell()
        file.seek(start + (dtype.itemsize + 1) * shape[0] * shape[1])
        steps, ids, document_of, documents = (np.load(file) for _ in range(4))
        if dtype != np.float32 or not len(ids) == len(document_of) == shape[0]:
            raise ValueError(f"{path} contains something other than its name says")
    # As a plain array, because creating a view of a memory map takes some microseconds.
    if not shape[0]:
        return _Rows(json.loads(documents.tobytes()), ids, document_of, _NO_ROWS.vectors)
    vectors = np.asarray(np.memmap(path, dtype, "r", start, shape))
    rounded = np.asarray(np.memmap(path, np.int8, "r", start + vectors.nbytes, shape))
    return _Rows(json.loads(documents.tobytes()), ids, document_of, vectors, rounded, steps)


def _write(folder: Path, embedder_name: str, parts: Sequence[_Rows]) -> _Rows:
    """Write the rows of ``parts``, completely or not at all, remove the files of other states, and return the mapped
    rows.

    A process that still has an older file mapped keeps its pages until it releases them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The vectors are not joined in memory, where they may be gigabytes.
    matrices = [part.vectors for part in parts if len(part.ids)]
    rows = _joined([replace(part, vectors=part.vectors[:, :0]) for part in parts])
    shape = (len(rows.ids), matrices[0].shape[1] if matrices else 0)
    documents = json.dumps(rows.documents).encode()
    kept = folder / f"{_prefix_of(embedder_name)}{hashlib.sha256(documents).hexdigest()[:24]}.npy"
    with tempfile.NamedTemporaryFile(prefix=".exact-", dir=folder, delete=False) as draft:
        try:
            np.lib.format.write_array_header_1_0(draft, {"descr": "<f4", "fortran_order": False, "shape": shape})
            for matrix in matrices:
                matrix.tofile(draft)
            steps = np.zeros(shape[0], np.float32)
            written = 0
            for part in _parts(matrices):
                steps[written : written + len(part)] = np.maximum(np.abs(part).max(axis=1) / 127, _LEAST_STEP)
                np.rint(part / steps[written : written + len(part), None]).astype(np.int8).tofile(draft)
                written += len(part)
            arrays: tuple[NDArray[Any], ...] = (steps, rows.ids, rows.document_of, np.frombuffer(documents, np.uint8))
            for array in arrays:
                np.save(draft, array)
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
    return _map(kept)


def _parts(matrices: Iterable[Matrix]) -> Iterator[Matrix]:
    for matrix in matrices:
        for start in range(0, len(matrix), _ROWS_A_PART):
            yield matrix[start : start + _ROWS_A_PART]


def _prefix_of(embedder_name: str) -> str:
    return f"exact-{hashlib.sha256(f'{_LAYOUT} {embedder_name}'.encode()).hexdigest()[:8]}-"
