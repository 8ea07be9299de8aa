"""Exact search, which compares a vector with all vectors in memory."""

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.search import Groups, Hit
from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, VectorIndex, fingerprint_of

# This many numbers fit into the processor's cache, and OpenBLAS does not split them among threads, which would wait
# for each other. With other work on the machine, larger products took more than ten times as long.
_AT_ONCE = 2**18


# A version of a document: the document id and the version mark.
_Document = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Part:
    """Vectors that were read from SQL together, with their chunk ids and documents."""

    ids: list[str]
    documents: list[_Document]
    vectors: Matrix

    def cosines(self, vector: Matrix) -> Matrix:
        step = max(1, _AT_ONCE // len(vector))
        starts = range(0, len(self.ids), step)
        return np.concatenate([self.vectors[start : start + step] @ vector for start in starts])


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One state of the library.

    ``group_of`` contains, for each vector in ``parts``, the index of its group in ``groups``, or -1 if it is deleted.
    """

    version: int
    documents: frozenset[_Document]
    parts: tuple[_Part, ...]
    ids: list[str]
    groups: tuple[str, ...]
    group_of: NDArray[np.int32]


class ExactVectorIndex(VectorIndex):
    """Compares a vector with all vectors of ``embedder_name``, which takes about 120 ms for a million chunks.

    The vectors are read from SQL on first use; later, only the vectors of changed documents are read. Thread-safe.
    """

    def __init__(self, store: LibraryStore, embedder_name: str) -> None:
        self._store = store
        self._embedder_name = embedder_name
        self._loading = threading.Lock()
        self._snapshot: _Snapshot | None = None

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        now = self._snapshot or self._load()
        readable = np.array([*(groups is None or group in groups for group in now.groups), False], np.bool_)
        rows = np.flatnonzero(readable[now.group_of])
        if not len(rows) or top_k < 1:
            return ()
        scores = np.concatenate([part.cosines(np.asarray(vector, np.float32)) for part in now.parts])[rows]
        if len(rows) > top_k:
            # Equal scores are sorted by id, so that the same library always gives the same results.
            near = scores >= np.partition(scores, -top_k)[-top_k]
            rows, scores = rows[near], scores[near]
        hits = [Hit(now.ids[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]
        return tuple(sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:top_k])

    async def fingerprint(self) -> Fingerprint:
        return await asyncio.to_thread(lambda: fingerprint_of(self._embedder_name, _contents(self._load())))

    async def synchronise(self) -> None:
        await asyncio.to_thread(self._load)

    async def close(self) -> None:
        self._snapshot = None

    def _load(self) -> _Snapshot:
        with self._loading:
            version = self._store.version()
            if self._snapshot is None or self._snapshot.version != version:
                self._snapshot = self._follow(version, self._snapshot or _EMPTY)
            return self._snapshot

    def _follow(self, version: int, before: _Snapshot) -> _Snapshot:
        """Return the current state of the library, at ``version`` or later, reusing the state ``before``."""
        now = {(name, mark): group for name, (group, mark) in self._store.document_versions().items()}
        parts = (*before.parts, *self._read([each for each in now if each not in before.documents]))
        groups = tuple(sorted(set(now.values())))
        place = {each: groups.index(group) for each, group in now.items()}
        group_of = np.array([place.get(each, -1) for part in parts for each in part.documents], np.int32)
        if 2 * np.count_nonzero(group_of < 0) > len(group_of):
            return self._follow(version, _EMPTY)
        ids = [chunk_id for part in parts for chunk_id in part.ids]
        return _Snapshot(version, frozenset(now), parts, ids, groups, group_of)

    def _read(self, documents: Sequence[_Document]) -> Iterator[_Part]:
        by_id = {document[0]: document for document in documents}
        for ids, names, vectors in self._store.document_vectors(by_id, embedder=self._embedder_name):
            yield _Part(ids, [by_id[name] for name in names], vectors)


_EMPTY = _Snapshot(-1, frozenset(), (), [], (), np.empty(0, np.int32))


def _contents(snapshot: _Snapshot) -> Mapping[str, str]:
    rows = zip(snapshot.ids, snapshot.group_of.tolist(), strict=True)
    return dict(sorted((chunk_id, snapshot.groups[group]) for chunk_id, group in rows if group >= 0))
