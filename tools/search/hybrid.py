"""Hybrid search: dense and lexical hits, fused into passages."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from contracts.errors import NotFound
from contracts.text import Chunk, Document, Passage
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix
from tools.search.base import Groups, Hit, LexicalIndex, VectorIndex
from tools.search.duplicates import without_repeats
from tools.search.fusion import FoundLists, FusionWeights, fuse, jargon_share_of
from tools.search.kept_library import KeptLibrary
from tools.search.sentences import sentences_in

_DEPTH = 100
# So many times the asked number of chunks are read: repeats and summaries among them fall out.
_SPARE = 4
_ATTEMPTS = 3


class _Candidate(NamedTuple):
    score: float
    dense: float
    lexical: float


_NOT_FOUND = _Candidate(score=-np.inf, dense=-1.0, lexical=0.0)


class _Hits(NamedTuple):
    """What the indexes found, for each wording in turn; ``vectors`` has a row for each."""

    wordings: Sequence[str]
    vectors: Matrix
    dense: Sequence[Sequence[Hit]]
    lexical: Sequence[Sequence[Hit]]


class HybridSearcher:
    """Brings passages by their meaning and by their words, fused by weight.

    Every wording of a question is searched in both indexes; a chunk's score is the best of its wordings'. The indexes
    are synchronised first where the library has changed, by whichever process.
    """

    def __init__(
        self,
        store: LibraryStore,
        embedder: Embedder,
        vector_index: VectorIndex,
        lexical_index: LexicalIndex,
        *,
        weights: FusionWeights | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._vector_index = vector_index
        self._lexical_index = lexical_index
        self._weights = weights or FusionWeights.stored()
        self._library = KeptLibrary(store)
        self._version = -1
        self._stale: frozenset[str] = frozenset()

    async def search(
        self, queries: Sequence[str], top_k: int, *, groups: Groups = None, jargon: Sequence[str] = ()
    ) -> tuple[Passage, ...]:
        """Bring the ``top_k`` best passages for several wordings of one question, best first.

        ``groups`` are those the asker may read (None: all). ``jargon`` names the terms in the question: the more of it
        they are, the more the lexical index counts. A summary that is found brings the passages of its section.
        ``dense`` and ``lexical`` of a passage are the best among the wordings.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        wordings = list(dict.fromkeys(query for query in queries if query.strip()))
        if not wordings or top_k < 1:
            return ()
        for attempt in range(_ATTEMPTS):
            try:
                # None of the three needs another.
                vectors, version, lexical = await asyncio.gather(
                    self._embedder.embed_queries(wordings), self._synchronise(), self._lexical(wordings, groups)
                )
                dense = await asyncio.gather(
                    *(self._vector_index.search(vector, _DEPTH, groups=groups) for vector in vectors)
                )
                hits = _Hits(wordings, vectors, dense, lexical)
                return await asyncio.to_thread(self._ranked, hits, version, top_k, groups, jargon)
            except NotFound:
                # A document was replaced between two queries: its former chunks have no vectors any longer.
                if attempt == _ATTEMPTS - 1:
                    raise
        return ()

    async def _lexical(self, wordings: Sequence[str], groups: Groups) -> list[tuple[Hit, ...]]:
        return await asyncio.gather(
            *(self._lexical_index.search(wording, _DEPTH, groups=groups) for wording in wordings)
        )

    async def _synchronise(self) -> int:
        """Bring the indexes up to date; return the library's version, seen before that."""
        version = await asyncio.to_thread(self._store.version)
        if version != self._version:
            await self._vector_index.synchronise()
            stale = await asyncio.to_thread(self._store.stale_ids, embedder=self._embedder.name)
            self._stale = frozenset(stale)
            self._version = version
        return version

    def _ranked(
        self, hits: _Hits, version: int, top_k: int, groups: Groups, jargon: Sequence[str]
    ) -> tuple[Passage, ...]:
        best: dict[str, _Candidate] = {}
        for row, wording in enumerate(hits.wordings):
            found = self._found(hits.vectors[row], hits.dense[row], hits.lexical[row], version)
            scores = fuse(found, self._weights, jargon_share=jargon_share_of(wording, jargon))
            for chunk_id, score in scores.items():
                former = best.get(chunk_id, _NOT_FOUND)
                best[chunk_id] = _Candidate(
                    score=max(score, former.score),
                    dense=max(found.cosines.get(chunk_id, 0.0), former.dense),
                    lexical=max(found.lexical.get(chunk_id, 0.0), former.lexical),
                )
        return self._passages(best, hits.vectors, top_k, groups, version)

    async def lists(self, wording: str, *, groups: Groups = None) -> FoundLists:
        """Return what each index finds for one wording, before they are fused.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        (vector,), version, (lexical,) = await asyncio.gather(
            self._embedder.embed_queries([wording]), self._synchronise(), self._lexical([wording], groups)
        )
        dense = await self._vector_index.search(vector, _DEPTH, groups=groups)
        return await asyncio.to_thread(self._found, vector, dense, lexical, version)

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine in [-1, 1] of ``question`` with each of these chunks that can be compared.

        Left out are chunks whose vector another model made, and those that are gone.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        if not chunk_ids:
            return {}
        version, (vector,) = await asyncio.gather(self._synchronise(), self._embedder.embed_queries([question]))
        try:
            return await asyncio.to_thread(self._cosines, chunk_ids, vector, version)
        except NotFound:
            # A document was replaced since its chunks were named: they are no evidence any longer.
            there = [*await asyncio.to_thread(self._store.chunks, chunk_ids)]
            return await asyncio.to_thread(self._cosines, there, vector, version)

    def _found(
        self, vector: Matrix, dense_hits: Sequence[Hit], lexical_hits: Sequence[Hit], version: int
    ) -> FoundLists:
        dense = {hit.chunk_id: hit.score for hit in dense_hits}
        lexical = {hit.chunk_id: hit.score for hit in lexical_hits}
        lacking = [chunk_id for chunk_id in lexical if chunk_id not in dense]
        cosines = dense | self._cosines(lacking, vector, version)
        return FoundLists(dense=dense, lexical=lexical, cosines=cosines, depth=_DEPTH)

    def _cosines(self, ids: Sequence[str], vector: Matrix, version: int) -> dict[str, float]:
        # Vectors that another model made cannot be compared; they are few, and only until they are made anew.
        comparable = [chunk_id for chunk_id in ids if chunk_id not in self._stale]
        if not comparable:
            return {}
        vectors = self._library.vectors(comparable, version)
        return dict(zip(comparable, (vectors @ vector).tolist(), strict=True))

    def _passages(
        self, found: Mapping[str, _Candidate], vectors: Matrix, top_k: int, groups: Groups, version: int
    ) -> tuple[Passage, ...]:
        candidates = dict(found)
        order = _best(candidates, top_k * _SPARE)
        chunks = self._library.chunks(order, version)
        summaries = [chunk for chunk in chunks.values() if chunk.kind == "summary"]
        if summaries:
            candidates = self._lend(candidates, summaries, vectors, version)
            order = _best(candidates, top_k * _SPARE + len(summaries))
            chunks |= self._library.chunks([chunk_id for chunk_id in order if chunk_id not in chunks], version)
        documents = self._library.documents({chunk.document_id for chunk in chunks.values()}, version)
        ranked = (chunks[chunk_id] for chunk_id in order if chunk_id in chunks)
        passages = []
        readable = {id for id, document in documents.items() if groups is None or document.group in groups}
        shown = (chunk for chunk in ranked if chunk.kind == "passage" and chunk.document_id in readable)
        for chunk in without_repeats(shown):
            passages.append(_passage(chunk, candidates[chunk.id], documents[chunk.document_id]))
            if len(passages) == top_k:
                break
        return tuple(passages)

    def _lend(
        self, candidates: dict[str, _Candidate], summaries: Sequence[Chunk], vectors: Matrix, version: int
    ) -> dict[str, _Candidate]:
        """Lift the passages of each summary's section towards its score; bring those in that were not found."""
        score_of = {chunk.section_id: candidates[chunk.id].score for chunk in summaries if chunk.section_id}
        sections = self._library.section_passages([*score_of], version)
        unseen = [id for ids in sections.values() for id in ids if id not in candidates and id not in self._stale]
        cosines = (self._library.vectors(unseen, version) @ vectors.T).max(axis=1).tolist() if unseen else []
        floor = min(candidate.score for candidate in candidates.values())
        lent = dict(candidates)
        for chunk_id, cosine in zip(unseen, cosines, strict=True):
            lent[chunk_id] = _Candidate(score=floor, dense=cosine, lexical=0.0)
        for section_id, ids in sections.items():
            for chunk_id in ids:
                if chunk_id in lent:
                    own = lent[chunk_id]
                    rise = self._weights.summary * max(0.0, score_of[section_id] - own.score)
                    lent[chunk_id] = _Candidate(score=own.score + rise, dense=own.dense, lexical=own.lexical)
        return lent


def _best(candidates: Mapping[str, _Candidate], count: int) -> list[str]:
    def place(chunk_id: str) -> tuple[float, float, str]:
        return -candidates[chunk_id].score, -candidates[chunk_id].dense, chunk_id

    return sorted(candidates, key=place)[:count]


def _passage(chunk: Chunk, candidate: _Candidate, document: Document) -> Passage:
    return Passage(
        chunk=chunk,
        document_name=document.name,
        document_title=document.title,
        score=candidate.score,
        dense=candidate.dense,
        lexical=candidate.lexical,
        sentences=sentences_in(chunk),
    )
