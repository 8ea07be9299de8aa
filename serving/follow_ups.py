"""Further questions: what else somebody may want to ask, of which the documents know an answer."""

import asyncio
import re
from collections.abc import Sequence
from typing import Protocol

from contracts.question import Asker
from library.store import LibraryStore
from tools.language import content_stems, fold
from tools.search import LexicalIndex
from tools.search.base import Groups

FOLLOW_UPS = 4
_READ_CHARACTERS = 2_000
# "What does DLL stand for?", "What is a DLL?"
_MEANING = frozenset({"stand", "mean"})
_QUESTION = re.compile(r".*[?？؟]\s*", re.DOTALL)
# So many chunks are looked at for each question that is wanted: most have none, or one that was asked.
_NEAREST = 2
_CHUNKS_A_QUESTION = 8


class QuestionSuggester(Protocol):
    """Knows questions that the documents answer."""

    async def suggest(self, text: str, limit: int, *, groups: Groups) -> tuple[str, ...]:
        """Return up to ``limit`` questions near to ``text`` that documents of ``groups`` (None: all) answer."""
        ...


class SummaryQuestions:
    """Knows the questions that summaries of the documents' sections say they answer."""

    def __init__(self, store: LibraryStore, lexical: LexicalIndex) -> None:
        self._store = store
        self._lexical = lexical

    async def suggest(self, text: str, limit: int, *, groups: Groups) -> tuple[str, ...]:
        """Return up to ``limit`` questions of sections near to ``text``, of documents of ``groups``, nearest first.

        Raises:
            Unavailable: the database does not answer.
        """
        hits = await self._lexical.search(text, limit * _CHUNKS_A_QUESTION, groups=groups)
        return await asyncio.to_thread(self._questions, text, [hit.chunk_id for hit in hits], limit)

    def _questions(self, text: str, chunk_ids: Sequence[str], limit: int) -> tuple[str, ...]:
        chunks = self._store.chunks(chunk_ids)
        sections = list(dict.fromkeys(each.section_id for each in chunks.values() if each.section_id))
        summaries = self._store.section_summaries(sections)
        # The nearest section's first question, the next one's, and so on: several sections rather than all of one.
        asked = [_questions_in(summaries.get(section, "")) for section in sections]
        rounds = max(map(len, asked), default=0)
        ordered = [questions[turn] for turn in range(rounds) for questions in asked if turn < len(questions)]
        # A section is long, and its questions are about all of it: those that share words with the text come first, and
        # those of which less than half stands there or in the nearest passages are about something else.
        said = set(content_stems(text))
        nearest = [chunks[each].text for each in chunk_ids[:_NEAREST] if each in chunks]
        there = said.union(*map(content_stems, nearest))
        stems = {question: set(content_stems(question)) for question in ordered}
        near = [each for each in stems if 2 * len(stems[each] & there) >= len(stems[each]) > 0]
        return tuple(sorted(near, key=lambda question: -len(stems[question] & said))[:limit])


async def follow_ups(
    said: str, asked: Sequence[str], suggester: QuestionSuggester, asker: Asker, *, explained: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return questions near to what was ``said`` that the documents answer and that are not among those ``asked``.

    What one of the terms ``explained`` means is not offered: the answer has told it.
    """
    most = FOLLOW_UPS + len(asked) + 2 * len(explained)
    found = await suggester.suggest(said[: 2 * _READ_CHARACTERS], most, groups=asker.groups)
    known = {_compared(question) for question in asked}
    told = [frozenset(content_stems(term)) for term in explained]
    wanted = [
        question
        for question in found
        if _compared(question) not in known and _is_telling(question) and not _asks_meaning(question, told)
    ]
    return tuple(wanted[:FOLLOW_UPS])


def _questions_in(summary: str) -> list[str]:
    return [line.strip() for line in summary.splitlines() if _QUESTION.fullmatch(line)]


def _asks_meaning(question: str, terms: Sequence[frozenset[str]]) -> bool:
    stems = frozenset(content_stems(question)) - _MEANING
    return any(stems == term for term in terms)


def _is_telling(question: str) -> bool:
    """Say whether it asks about something: a cell of a table can be a number, and "What is 1?" helps nobody."""
    return any(any(map(str.isalpha, stem)) for stem in content_stems(question))


def _compared(question: str) -> str:
    return fold(question[:_READ_CHARACTERS]).rstrip(" ?？؟.!")
