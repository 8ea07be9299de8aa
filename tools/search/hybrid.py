"""Hybrid search, which fuses dense and lexical hits and returns passages."""

import asyncio
import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from contracts.errors import NotFound
from contracts.search import DocumentIds, Groups, Hit
from contracts.text import Chunk, Document, Passage
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix
from tools.search.base import LexicalIndex, VectorIndex
from tools.search.fusion import FoundLists, FusionWeights, fuse, jargon_share_of
from tools.search.passages import passage_of, without_repeats

_DEPTH = 100
# This many times the requested number of chunks are read, because repetitions and summaries are dropped.
_SPARE = 4
# Usually, the requested passages are among this many chunks; more chunks are read only if necessary.
_READ_AT_ONCE = 24
_ATTEMPTS = 3


class _Candidates(NamedTuple):
    """The chunks found, with their scores and, for chunks that have one, their cosines."""

    scores: Mapping[str, float]
    dense: Mapping[str, float]

    def best(self, count: int) -> list[str]:
        """Return the ids of the best ``count`` chunks, best first; equal scores are sorted by cosine, then by id."""
        ids = list(self.scores)
        if len(ids) > count:
            # Most scores are far from the best and do not have to be sorted.
            least = sorted(self.scores.values(), reverse=True)[count - 1]
            ids = [chunk_id for chunk_id, score in self.scores.items() if score >= least]
        return sorted(ids, key=lambda id: (-self.scores[id], -self.dense.get(id, 0.0), id))[:count]


class _Asked(NamedTuple):
    """A query: the wordings with their vectors (one row each), and the results of both indexes for each wording."""

    wordings: Sequence[str]
    vectors: Matrix
    dense: Sequence[Sequence[Hit]]
    lexical: Sequence[Sequence[Hit]]
    groups: Groups


class HybridSearcher:
    """Finds passages by meaning and by words, and fuses the results with weights.

    Each wording of a question is searched for in both indexes; a chunk gets its best score of all wordings. The indexes
    are synchronised first if any process has changed the library.
    """

    def __init__(
        self, store: LibraryStore, embedder: Embedder, vector_index: VectorIndex, lexical_index: LexicalIndex
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._vector_index = vector_index
        self._lexical_index = lexical_index
        self._weights = FusionWeights.stored()
        self._version = -1
        self._stale: frozenset[str] = frozenset()

    async def search(
        self,
        queries: Sequence[str],
        top_k: int,
        *,
        groups: Groups = None,
        documents: DocumentIds = None,
        jargon: Sequence[str] = (),
    ) -> tuple[Passage, ...]:
        wordings = list(dict.fromkeys(query for query in queries if query.strip()))
        if not wordings or top_k < 1:
            return ()
        for attempt in range(_ATTEMPTS):
            try:
                asked = await self._find(wordings, groups, documents)
                return await asyncio.to_thread(self._ranked, asked, top_k, jargon)
            except NotFound:
                # A document was replaced between two queries, so its old chunks no longer have vectors.
                if attempt == _ATTEMPTS - 1:
                    raise
        return ()

    async def _find(self, wordings: Sequence[str], groups: Groups, documents: DocumentIds = None) -> _Asked:
        """Synchronise the indexes, then search both in parallel."""
        await self._synchronise()
        (vectors, dense), lexical = await asyncio.gather(
            self._find_by_vectors(wordings, groups, documents),
            asyncio.to_thread(
                lambda: [
                    self._lexical_index.find(wording, _DEPTH, groups=groups, documents=documents)
                    for wording in wordings
                ]
            ),
        )
        return _Asked(wordings, vectors, dense, lexical, groups)

    async def _find_by_vectors(
        self, wordings: Sequence[str], groups: Groups, documents: DocumentIds
    ) -> tuple[Matrix, Sequence[Sequence[Hit]]]:
        vectors = await self._embedder.embed_queries(wordings)
        if documents is None:
            return vectors, await asyncio.to_thread(
                lambda: [self._vector_index.find(vector, _DEPTH, groups=groups) for vector in vectors]
            )
        # Users choose only a few documents, so all their vectors are compared; the vector index does not have to know
        # the documents.
        ids = await asyncio.to_thread(self._store.searchable_ids, embedder=self._embedder.name, documents=documents)
        cosines = [await asyncio.to_thread(self._cosines, ids, vector) for vector in vectors]
        return vectors, [
            heapq.nlargest(_DEPTH, map(Hit._make, each.items()), key=lambda hit: hit.score) for each in cosines
        ]

    async def _synchronise(self) -> None:
        version = await asyncio.to_thread(self._store.version)
        if version != self._version:
            await self._vector_index.synchronise()
            stale = await asyncio.to_thread(self._store.stale_ids, embedder=self._embedder.name)
            self._stale = frozenset(stale)
            self._version = version

    def _ranked(self, asked: _Asked, top_k: int, jargon: Sequence[str]) -> tuple[Passage, ...]:
        of_wordings = []
        for wording, found in zip(asked.wordings, self._found(asked), strict=True):
            scores = fuse(found, self._weights, jargon_share=jargon_share_of(wording, jargon))
            of_wordings.append(_Candidates(scores, found.cosines))
        return self._passages(_merged(of_wordings), asked, top_k)

    async def lists(self, wording: str, *, groups: Groups = None) -> FoundLists:
        """Return the results of each index for one wording, before fusion."""
        asked = await self._find([wording], groups)
        (found,) = await asyncio.to_thread(self._found, asked)
        return found

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        if not chunk_ids:
            return {}
        _, (vector,) = await asyncio.gather(self._synchronise(), self._embedder.embed_queries([question]))
        try:
            return await asyncio.to_thread(self._cosines, chunk_ids, vector)
        except NotFound:
            # The document was replaced after the caller got these chunk ids, so they no longer count as evidence.
            there = [*await asyncio.to_thread(self._store.chunks, chunk_ids)]
            return await asyncio.to_thread(self._cosines, there, vector)

    def _found(self, asked: _Asked) -> list[FoundLists]:
        lists = []
        for vector, dense_hits, lexical_hits in zip(asked.vectors, asked.dense, asked.lexical, strict=True):
            dense, lexical = dict(dense_hits), dict(lexical_hits)
            lacking = [chunk_id for chunk_id in lexical if chunk_id not in dense]
            cosines = dense | self._cosines(lacking, vector)
            lists.append(FoundLists(dense=dense, lexical=lexical, cosines=cosines, depth=_DEPTH))
        return lists

    def _cosines(self, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        # Vectors from a different model cannot be compared; there are few of them, and only until they are recomputed.
        comparable = [chunk_id for chunk_id in ids if chunk_id not in self._stale]
        if not comparable:
            return {}
        vectors = self._store.vectors(comparable)
        return dict(zip(comparable, (vectors @ vector).tolist(), strict=True))

    def _passages(self, candidates: _Candidates, asked: _Asked, top_k: int) -> tuple[Passage, ...]:
        summarised = self._store.summarised_passages(candidates.best(top_k * _SPARE))
        if summarised:
            candidates = self._lend(candidates, summarised, asked.vectors)
        order = candidates.best(top_k * _SPARE + len(summarised))
        documents: dict[str, Document] = {}
        chunks = without_repeats(self._readable_passages(order, asked, documents))
        return tuple(
            passage_of(
                chunk,
                documents[chunk.document_id],
                score=candidates.scores[chunk.id],
                dense=candidates.dense.get(chunk.id, 0.0),
            )
            for chunk in itertools.islice(chunks, top_k)
        )

    def _readable_passages(
        self, order: Sequence[str], asked: _Asked, documents: dict[str, Document]
    ) -> Iterator[Chunk]:
        """Yield the passages among these chunks that the asker may read, and add their documents to ``documents``."""
        groups = asked.groups
        for start in range(0, len(order), _READ_AT_ONCE):
            ids = order[start : start + _READ_AT_ONCE]
            known = self._store.chunks(ids)
            chunks = [known[chunk_id] for chunk_id in ids if chunk_id in known]
            new = {chunk.document_id for chunk in chunks} - documents.keys()
            documents |= self._store.documents_of(new)
            for chunk in chunks:
                document = documents.get(chunk.document_id)
                if document is not None and chunk.kind == "passage" and (groups is None or document.group in groups):
                    yield chunk

    def _lend(self, candidates: _Candidates, summarised: Mapping[str, Sequence[str]], vectors: Matrix) -> _Candidates:
        """Raise passages towards the score of their section's summary, including passages that were not found."""
        found = candidates.scores
        unseen = [id for ids in summarised.values() for id in ids if id not in found and id not in self._stale]
        cosines = (self._store.vectors(unseen) @ vectors.T).max(axis=1).tolist() if unseen else []
        lent = {**found, **dict.fromkeys(unseen, min(found.values()))}
        for summary_id, ids in summarised.items():
            summary = found[summary_id]
            for chunk_id in ids:
                own = lent.get(chunk_id, summary)
                if own < summary:
                    lent[chunk_id] = own + self._weights.summary * (summary - own)
        dense = {**candidates.dense, **dict(zip(unseen, cosines, strict=True))}
        return _Candidates(lent, dense)


def _merged(of_wordings: Sequence[_Candidates]) -> _Candidates:
    """Return each chunk with its best score of all wordings."""
    if len(of_wordings) == 1:
        return of_wordings[0]
    scores: dict[str, float] = {}
    dense: dict[str, float] = {}
    for found in of_wordings:
        for chunk_id, score in found.scores.items():
            cosine = found.dense.get(chunk_id, 0.0)
            scores[chunk_id] = max(score, scores.get(chunk_id, score))
            dense[chunk_id] = max(cosine, dense.get(chunk_id, cosine))
    return _Candidates(scores, dense)
