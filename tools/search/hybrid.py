"""Hybrid search: dense and lexical hits, fused into passages."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from contracts.errors import NotFound
from contracts.text import Chunk, Document, Passage
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix
from tools.search.base import Groups, LexicalIndex, VectorIndex
from tools.search.duplicates import without_repeats
from tools.search.fusion import FoundLists, FusionWeights, fuse, jargon_share_of
from tools.search.kept_chunks import KeptChunks
from tools.search.sentences import sentences_in

_DEPTH = 100
# So many times the asked number of chunks are read: repeats and summaries among them fall out.
_SPARE = 4
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    score: float
    dense: float
    lexical: float


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
        self._chunks = KeptChunks(store)
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
        vectors = await self._embedder.embed_queries(wordings)
        for attempt in range(_ATTEMPTS):
            version = await self._synchronise()
            try:
                found = await self._find(wordings, vectors, groups, jargon)
                return await asyncio.to_thread(self._passages, found, vectors, top_k, groups, version)
            except NotFound:
                # A document was replaced between two queries: its former chunks have no vectors any longer.
                if attempt == _ATTEMPTS - 1:
                    raise
        return ()

    async def _synchronise(self) -> int:
        """Bring the indexes up to date; return the library's version, seen before that."""
        version = await asyncio.to_thread(self._store.version)
        if version != self._version:
            await self._vector_index.synchronise()
            stale = await asyncio.to_thread(self._store.stale_ids, embedder=self._embedder.name)
            self._stale = frozenset(stale)
            self._version = version
        return version

    async def _find(
        self, wordings: Sequence[str], vectors: Matrix, groups: Groups, jargon: Sequence[str]
    ) -> dict[str, _Candidate]:
        lists = await asyncio.gather(
            *(self._lists(wording, vector, groups) for wording, vector in zip(wordings, vectors, strict=True))
        )
        best: dict[str, _Candidate] = {}
        for wording, found in zip(wordings, lists, strict=True):
            scores = fuse(found, self._weights, jargon_share=jargon_share_of(wording, jargon))
            for chunk_id, score in scores.items():
                former = best.get(chunk_id, _Candidate(score=-np.inf, dense=-1.0, lexical=0.0))
                best[chunk_id] = _Candidate(
                    score=max(score, former.score),
                    dense=max(found.cosines.get(chunk_id, 0.0), former.dense),
                    lexical=max(found.lexical.get(chunk_id, 0.0), former.lexical),
                )
        return best

    async def lists(self, wording: str, *, groups: Groups = None) -> FoundLists:
        """Return what each index finds for one wording, before they are fused.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        await self._synchronise()
        vectors = await self._embedder.embed_queries([wording])
        return await self._lists(wording, vectors[0], groups)

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine in [-1, 1] of ``question`` with each of these chunks that can be compared.

        Left out are chunks whose vector another model made, and those that are gone.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        if not chunk_ids:
            return {}
        await self._synchronise()
        (vector,) = await self._embedder.embed_queries([question])
        try:
            return await asyncio.to_thread(self._cosines, chunk_ids, vector)
        except NotFound:
            # A document was replaced since its chunks were named: they are no evidence any longer.
            there = [*await asyncio.to_thread(self._store.chunks, chunk_ids)]
            return await asyncio.to_thread(self._cosines, there, vector)

    async def _lists(self, wording: str, vector: Matrix, groups: Groups) -> FoundLists:
        dense_hits, lexical_hits = await asyncio.gather(
            self._vector_index.search(vector, _DEPTH, groups=groups),
            self._lexical_index.search(wording, _DEPTH, groups=groups),
        )
        dense = {hit.chunk_id: hit.score for hit in dense_hits}
        lexical = {hit.chunk_id: hit.score for hit in lexical_hits}
        lacking = [chunk_id for chunk_id in lexical if chunk_id not in dense]
        cosines = dense | await asyncio.to_thread(self._cosines, lacking, vector)
        return FoundLists(dense=dense, lexical=lexical, cosines=cosines, depth=_DEPTH)

    def _cosines(self, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        # Vectors that another model made cannot be compared; they are few, and only until they are made anew.
        comparable = [chunk_id for chunk_id in ids if chunk_id not in self._stale]
        if not comparable:
            return {}
        return dict(zip(comparable, (self._store.vectors(comparable) @ vector).tolist(), strict=True))

    def _passages(
        self, found: Mapping[str, _Candidate], vectors: Matrix, top_k: int, groups: Groups, version: int
    ) -> tuple[Passage, ...]:
        candidates = dict(found)
        order = _best(candidates, top_k * _SPARE)
        chunks = self._chunks.read(order, version)
        summaries = [chunk for chunk in chunks.values() if chunk.kind == "summary"]
        if summaries:
            candidates = self._lend(candidates, summaries, vectors)
            order = _best(candidates, top_k * _SPARE + len(summaries))
            chunks |= self._chunks.read([chunk_id for chunk_id in order if chunk_id not in chunks], version)
        documents = self._store.documents_of({chunk.document_id for chunk in chunks.values()})
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
        self, candidates: dict[str, _Candidate], summaries: Sequence[Chunk], vectors: Matrix
    ) -> dict[str, _Candidate]:
        """Lift the passages of each summary's section towards its score; bring those in that were not found."""
        score_of = {chunk.section_id: candidates[chunk.id].score for chunk in summaries if chunk.section_id}
        sections = self._store.section_passages([*score_of])
        unseen = [id for ids in sections.values() for id in ids if id not in candidates and id not in self._stale]
        cosines = (self._store.vectors(unseen) @ vectors.T).max(axis=1).tolist() if unseen else []
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
