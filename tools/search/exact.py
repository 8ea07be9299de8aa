"""Exact search: a vector is compared with every other, which are mapped into memory from a file."""

import asyncio
import hashlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from library.store import LibraryStore
from library.versions import document_vectors, document_versions
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, Groups, Hit, VectorIndex, fingerprint_of

# The files are rewritten once this many rows, and a tenth of them, have changed: at a million chunks it takes a minute.
_LEAST_CHANGED = 1_000
_CHANGED_SHARE = 0.1

# This many numbers are compared at once: they fit into the processor's cache, and OpenBLAS does not split them among
# threads, which would wait for each other. With other work on the machine, larger products took more than ten times as
# long.
_AT_ONCE = 2**18

# Files with another layout are not read.
_LAYOUT = 3
_DRAFT = ".exact-"
_ABANDONED_AFTER_S = 3_600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The vectors of documents, one document after the other, and the ids of their chunks.

    ``documents`` holds by id the mark of each document's version and the number of its rows, which may be 0.
    """

    documents: Mapping[str, tuple[str, int]]
    ids: NDArray[np.bytes_]
    vectors: Matrix

    def only(self, marks: Mapping[str, str]) -> "_Rows":
        """Return the rows of those documents whose version is the one in ``marks``."""
        kept = {name: (mark, count) for name, (mark, count) in self.documents.items() if marks.get(name) == mark}
        rows = self.each_row([name in kept for name in self.documents]).astype(np.bool_)
        return _Rows(kept, self.ids[rows], self.vectors[rows])

    def each_row(self, of_documents: Sequence[int]) -> NDArray[np.int32]:
        """Repeat the value of each document for each of its rows."""
        return np.repeat(np.array(of_documents, np.int32), [count for _, count in self.documents.values()])

    def cosines(self, vector: Matrix) -> Matrix:
        scores = np.empty(len(self.ids), np.float32)
        step = max(1, _AT_ONCE // len(vector))
        for start in range(0, len(scores), step):
            part = slice(start, start + step)
            np.dot(self.vectors[part], vector, out=scores[part])
        return scores


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

    def id_of(self, row: int) -> str:
        before = len(self.stored.ids)
        found: bytes = self.stored.ids[row] if row < before else self.changed.ids[row - before]
        return found.decode()

    def nearest(self, vector: Matrix, top_k: int, groups: Groups) -> list[Hit]:
        """Return the ``top_k`` chunks of ``groups`` nearest to ``vector``, and others that are as near."""
        readable = np.array([*(groups is None or group in groups for group in self.groups), False], np.bool_)
        rows = np.flatnonzero(readable[self.group_of])
        scores = np.concatenate([part.cosines(vector) for part in (self.stored, self.changed)])[rows]
        if len(rows) > top_k:
            near = scores >= np.partition(scores, -top_k)[-top_k]
            rows, scores = rows[near], scores[near]
        return [Hit(self.id_of(row), score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]

    def contents(self) -> Mapping[str, str]:
        rows = np.flatnonzero(self.group_of >= 0).tolist()
        return dict(sorted((self.id_of(row), self.groups[self.group_of[row]]) for row in rows))


class ExactVectorIndex(VectorIndex):
    """Compares a vector with every vector that ``embedder_name`` made: about 150 ms for a million chunks.

    ``folder`` keeps the vectors, written completely before they are used; several processes may share it. What changed
    since they were written is read from SQL. Without a folder, or if it is not writable, everything is kept in memory.
    Thread-safe.
    """

    def __init__(self, folder: Path | None, store: LibraryStore, embedder_name: str) -> None:
        self._folder = folder
        self._store = store
        self._embedder_name = embedder_name
        self._prefix = f"exact-{hashlib.sha256(f'{_LAYOUT} {embedder_name}'.encode()).hexdigest()[:8]}-"
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
        marks = {name: mark for name, (_, mark) in group_and_mark.items()}
        stored, changed = self._read() or _NO_ROWS, _NO_ROWS
        if self._snapshot is not None:
            stored, changed = self._snapshot.stored, self._snapshot.changed.only(marks)
        held = {(name, mark) for part in (stored, changed) for name, (mark, _) in part.documents.items()}
        lacking = {name: mark for name, mark in marks.items() if (name, mark) not in held}
        changed = _joined([changed, self._from_sql(lacking)])
        if stored is _NO_ROWS or len(changed.ids) > max(_LEAST_CHANGED, _CHANGED_SHARE * len(stored.ids)):
            stored, changed = self._written([stored.only(marks), changed]), _NO_ROWS
        groups = tuple(sorted({group for group, _ in group_and_mark.values()}))
        place = {(name, mark): groups.index(group) for name, (group, mark) in group_and_mark.items()}
        group_of = [
            part.each_row([place.get((name, mark), -1) for name, (mark, _) in part.documents.items()])
            for part in (stored, changed)
        ]
        return _Snapshot(version, stored, changed, groups, np.concatenate(group_of))

    def _from_sql(self, marks: Mapping[str, str]) -> _Rows:
        counts: dict[str, int] = {}
        ids: list[bytes] = []
        parts: list[Matrix] = []
        for chunk_ids, names, vectors in document_vectors(self._store.engine, marks, embedder=self._embedder_name):
            for name in names:
                counts[name] = counts.get(name, 0) + 1
            ids += [chunk_id.encode() for chunk_id in chunk_ids]
            parts.append(vectors)
        documents = {name: (marks[name], counts.get(name, 0)) for name in [*counts, *(marks.keys() - counts.keys())]}
        return _Rows(documents, np.array(ids, np.bytes_), np.concatenate(parts) if parts else _NO_ROWS.vectors)

    def _read(self) -> _Rows | None:
        """Map the newest files of this model, or return None if there are none, or they were truncated or changed."""
        if self._folder is None:
            return None
        try:
            places = sorted(self._folder.glob(f"{self._prefix}*"), key=lambda place: place.stat().st_mtime)
            return _map(places[-1]) if places else None
        except (OSError, ValueError, EOFError):
            return None

    def _written(self, parts: Sequence[_Rows]) -> _Rows:
        """Return the rows of ``parts`` as one, from new files if they can be written."""
        if self._folder is not None:
            try:
                return self._write(self._folder, parts)
            except OSError as error:
                # A full or read-only disk costs memory, not answers.
                _log.warning("vectors are kept in memory, not in %s: %s", self._folder, error)
        return _joined(parts)

    def _write(self, folder: Path, parts: Sequence[_Rows]) -> _Rows:
        """Write the rows of ``parts``, completely or not at all, remove other states, and return the mapped rows.

        A process that still has older files mapped keeps their pages until it releases them.
        """
        folder.mkdir(parents=True, exist_ok=True)
        # The vectors are not joined in memory, where they may be gigabytes.
        matrices = [part.vectors for part in parts if len(part.ids)]
        shape = (sum(map(len, matrices)), matrices[0].shape[1] if matrices else 0)
        with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=folder) as name:
            draft = Path(name)
            with (draft / "vectors.npy").open("wb") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
                for matrix in matrices:
                    matrix.tofile(file)
                file.flush()
                os.fsync(file.fileno())
            np.save(draft / "ids.npy", np.concatenate([part.ids for part in parts]))
            documents = {name: of_one for part in parts for name, of_one in part.documents.items()}
            (draft / "documents.json").write_text(json.dumps(documents))
            place = draft.rename(folder / draft.name.replace(_DRAFT, self._prefix))
        for other in folder.glob("exact-*"):
            if other != place:
                shutil.rmtree(other, ignore_errors=True)
        # Left behind by processes that were killed while they wrote.
        for left in folder.glob(f"{_DRAFT}*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _ABANDONED_AFTER_S:
                    shutil.rmtree(left)
        return _map(place)


_NO_ROWS = _Rows({}, np.empty(0, np.bytes_), np.empty((0, 0), np.float32))


def _joined(parts: Sequence[_Rows]) -> _Rows:
    some = [part for part in parts if part.documents] or [_NO_ROWS]
    documents = {name: of_one for part in some for name, of_one in part.documents.items()}
    filled = [part.vectors for part in some if len(part.ids)] or [_NO_ROWS.vectors]
    return _Rows(documents, np.concatenate([part.ids for part in some]), np.concatenate(filled))


def _map(place: Path) -> _Rows:
    documents = {
        name: (mark, count) for name, (mark, count) in json.loads((place / "documents.json").read_text()).items()
    }
    ids = np.load(place / "ids.npy")
    # As a plain array, because creating a view of a memory map takes some microseconds.
    vectors = np.asarray(np.load(place / "vectors.npy", mmap_mode="r")) if len(ids) else _NO_ROWS.vectors
    if not len(ids) == len(vectors) == sum(count for _, count in documents.values()):
        raise ValueError(f"{place} contains something other than its name says")
    return _Rows(documents, ids, vectors)
