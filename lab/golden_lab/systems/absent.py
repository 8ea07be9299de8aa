"""Parts that are not there: implementations of the Protocols that do nothing, for measuring what a part is worth."""

import asyncio
from collections.abc import Sequence

from contracts.jargon import Context, Reading
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Turn
from contracts.text import Passage
from contracts.verdicts import ContextVerdict, IdentifiedJargon, Reranked
from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.search.base import Fingerprint, Groups, Hit, LexicalIndex, PhraseUse, VectorIndex

_ABSENT = Provenance(implementation="absent")


class AbsentJargonIdentifier:
    """Finds no jargon in any question."""

    async def identify(self, question: str) -> IdentifiedJargon:
        """Return no mentions."""
        return IdentifiedJargon(mentions=(), provenance=_ABSENT)


class AbsentContextClassifier:
    """Sees no context in any question."""

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        """Say that it is none of ``contexts``."""
        return ContextVerdict(contexts=(), none_of_these=1.0, provenance=_ABSENT)


class AbsentQuestionAugmenter:
    """Keeps every question as it is."""

    async def augment(self, question: str, context: str, readings: Sequence[Reading]) -> AugmentedQuestion:
        """Return ``question``, without context or definitions."""
        return AugmentedQuestion(question=question, text=question, provenance=_ABSENT)


class AbsentPassageReranker:
    """Keeps the order in which passages were found."""

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        """Return ``passages`` as they are."""
        return Reranked(passages=tuple(passages), provenance=_ABSENT)


class _Summaries:
    """The ids of the library's summaries, read again when the library changes."""

    def __init__(self, store: LibraryStore) -> None:
        self._store = store
        self._version = -1
        self._ids: frozenset[str] = frozenset()

    def ids(self) -> frozenset[str]:
        version = self._store.version()
        if version != self._version:
            chunks = (chunk for each in self._store.documents() for chunk in self._store.document_chunks(each.id))
            self._ids = frozenset(chunk.id for chunk in chunks if chunk.kind == "summary")
            self._version = version
        return self._ids


class SummarylessVectorIndex:
    """A vector index as it would be had no summaries been written: the passages of ``index`` alone."""

    def __init__(self, index: VectorIndex, store: LibraryStore) -> None:
        self._index = index
        self._summaries = _Summaries(store)

    async def search(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` nearest chunks that are no summaries. Raises as the index below does."""
        return await asyncio.to_thread(self.find, vector, top_k, groups=groups)

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Do what ``search`` does in the caller's thread, which waits for it."""
        summaries = self._summaries.ids()
        found = self._index.find(vector, top_k + len(summaries), groups=groups)
        return tuple(hit for hit in found if hit.chunk_id not in summaries)[:top_k]

    async def fingerprint(self) -> Fingerprint:
        """Say what the index below holds."""
        return await self._index.fingerprint()

    async def synchronise(self) -> None:
        """Bring the index below up to date."""
        await self._index.synchronise()

    async def close(self) -> None:
        """Do nothing: the index below belongs to others too."""


class SummarylessLexicalIndex:
    """A lexical index as it would be had no summaries been written: the passages of ``index`` alone."""

    def __init__(self, index: LexicalIndex, store: LibraryStore) -> None:
        self._index = index
        self._summaries = _Summaries(store)

    async def search(self, query: str, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` best chunks that are no summaries. Raises as the index below does."""
        return await asyncio.to_thread(self.find, query, top_k, groups=groups)

    def find(self, query: str, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Do what ``search`` does in the caller's thread, which waits for it."""
        summaries = self._summaries.ids()
        found = self._index.find(query, top_k + len(summaries), groups=groups)
        return tuple(hit for hit in found if hit.chunk_id not in summaries)[:top_k]

    async def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Count the passages that contain ``term``: summaries are never counted."""
        return await self._index.document_frequency(term, groups=groups)

    async def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> tuple[str, ...]:
        """Name words that are spelt nearly like ``term``."""
        return await self._index.near_spellings(term, limit, groups=groups)

    async def passages_with(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Find passages that contain ``phrase``: summaries are never among them."""
        return await self._index.passages_with(phrase, limit, as_written=as_written, groups=groups)

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Do what ``passages_with`` does in the caller's thread, which waits for it."""
        return self._index.find_phrase(phrase, limit, as_written=as_written, groups=groups)
