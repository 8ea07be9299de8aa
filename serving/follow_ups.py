"""Further questions that somebody may want to ask and the bot can answer."""

import asyncio
from collections.abc import Sequence

from contracts.question import Asker
from library.store import LibraryStore
from library.suggested_questions import SuggestedQuestionStore
from tools.embedding.base import Embedder
from tools.language import content_stems, fold
from tools.search.base import LexicalIndex

FOLLOW_UPS = 3
_READ_CHARACTERS = 2_000
# "What does DLL stand for?", "What is a DLL?"
_MEANING = frozenset({"stand", "mean"})
# A document is near if it contains this many of the nearest passages.
_NEAREST_PASSAGES = 8


class NearbyQuestions:
    """Finds questions that the bot can answer from documents similar to a text."""

    def __init__(self, store: LibraryStore, lexical: LexicalIndex, embedder: Embedder) -> None:
        self._store = store
        self._offered = SuggestedQuestionStore(store.engine)
        self._lexical = lexical
        self._embedder = embedder

    async def suggest(self, text: str, limit: int, *, asker: Asker) -> tuple[str, ...]:
        """Return up to ``limit`` questions similar to ``text`` that the asker's documents answer, nearest first."""
        found = await asyncio.to_thread(self._questions, text, asker)
        if not found:
            return ()
        said, *vectors = await self._embedder.embed_queries([text, *found])
        nearness = {question: float(vector @ said) for question, vector in zip(found, vectors, strict=True)}
        return tuple(sorted(found, key=lambda question: -nearness[question])[:limit])

    def _questions(self, text: str, asker: Asker) -> list[str]:
        hits = self._lexical.find(text, _NEAREST_PASSAGES, groups=asker.groups, documents=asker.documents)
        documents = {each.document_id for each in self._store.chunks([hit.chunk_id for hit in hits]).values()}
        return list(dict.fromkeys(each.text for each in self._offered.of_documents(documents, asker.groups)))


async def follow_ups(
    said: str, asked: Sequence[str], suggester: NearbyQuestions, asker: Asker, *, explained: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return questions related to the texts ``said`` that the documents answer, without those already ``asked``.

    Questions about the meanings of the terms ``explained`` are not offered, because the answer already states them.
    """
    most = FOLLOW_UPS + len(asked) + 2 * len(explained)
    found = await suggester.suggest(said[: 2 * _READ_CHARACTERS], most, asker=asker)
    known = {_compared(question) for question in asked}
    explained_stems = [frozenset(content_stems(term)) for term in explained]
    wanted = [
        question
        for question in found
        if _compared(question) not in known and not _asks_meaning(question, explained_stems)
    ]
    return tuple(wanted[:FOLLOW_UPS])


def _asks_meaning(question: str, terms: Sequence[frozenset[str]]) -> bool:
    stems = frozenset(content_stems(question)) - _MEANING
    return any(stems == term for term in terms)


def _compared(question: str) -> str:
    return fold(question[:_READ_CHARACTERS]).rstrip(" ?？؟.!")
