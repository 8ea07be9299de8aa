"""The question check: the bot tries questions that its documents may answer, and offers those that work."""

import asyncio
import logging
from dataclasses import replace

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import DICTIONARY_DOCUMENT, FOUND, Answer
from contracts.errors import Unavailable
from contracts.question import SuggestedQuestion
from contracts.text import Document
from library.store import LibraryStore
from library.suggested_questions import EXAMPLES, SuggestedQuestionStore
from serving.question_candidates import Candidate, find_candidates
from tools.jargon.base import read_only
from tools.language import content_stems

# How many questions to check in one round: about a single document, about each of several documents, and in total.
_FIRST, _A_DOCUMENT, _AT_ONCE = 12, 2, 40
# The maximum number of rounds after the library has changed.
_ROUNDS = 10

_LOG = logging.getLogger(__name__)


class QuestionCheck:
    """Finds questions that ``services`` can answer with confidence from the library's documents, and stores them.

    The questions it asks appear in no conversation, log or queue. ``written`` means that a language model writes the
    summaries, whose questions are tried too. The check looks for changes to the library every ``look_every_s`` seconds
    and pauses for ``pause_s`` seconds before each question, so that users' questions are hardly slowed down.
    """

    def __init__(
        self,
        store: LibraryStore,
        services: Services,
        *,
        written: bool = False,
        look_every_s: float = 5.0,
        pause_s: float = 1.0,
    ) -> None:
        self._store = store
        self._offered = SuggestedQuestionStore(store.engine)
        self._chatbot = Chatbot(replace(services, dictionary=read_only(services.dictionary)))
        self._written = written
        self._look_every_s, self._pause_s = look_every_s, pause_s

    async def run(self) -> None:
        """Check the library after each change, until cancelled; errors are logged."""
        seen, rounds = -1, 0
        while True:
            try:
                version = await asyncio.to_thread(self._store.version)
                # While documents are being added, each check finds a new version.
                if version != seen:
                    seen, rounds = version, _ROUNDS
                elif rounds:
                    await self.update(between_questions=True)
                    rounds = rounds - 1 if await asyncio.to_thread(self._needs_more) else 0
            except Unavailable as error:
                _LOG.info("the search for questions to offer is postponed: %s", error)
            except Exception:
                _LOG.exception("the search for questions to offer failed")
                rounds = 0
            await asyncio.sleep(self._look_every_s)

    def _needs_more(self) -> bool:
        """Return whether a large library has too few examples so far, and documents that were not checked."""
        return len(self._offered.examples()) < EXAMPLES and bool(self._offered.unchecked(1))

    async def update(self, *, between_questions: bool = False) -> None:
        """Ask about new documents: at most forty questions, two about each if there are many documents.

        Raises:
            Unavailable: something that answers need is currently unavailable.
        """
        documents = await asyncio.to_thread(self._offered.unchecked, _AT_ONCE // _A_DOCUMENT)
        left = min(_AT_ONCE, _FIRST + _A_DOCUMENT * len(documents))
        for number, document in enumerate(documents):
            candidates = await asyncio.to_thread(self._candidates, document)
            candidates = candidates[: left // (len(documents) - number)]
            left -= len(candidates)
            found = []
            for each in candidates:
                if between_questions:
                    await asyncio.sleep(self._pause_s)
                certainty = await self._certainty(each, document)
                if certainty >= FOUND:
                    found.append(
                        SuggestedQuestion(text=each.text, kind=each.kind, subject=each.subject, certainty=certainty)
                    )
            await asyncio.to_thread(self._offered.keep, document, found)

    def _candidates(self, document: Document) -> list[Candidate]:
        chunks = self._store.document_chunks(document.id)
        mined = self._store.ledger.mined_from(document.id)
        return find_candidates(chunks, mined, seed=document.id, written=self._written)

    async def _certainty(self, candidate: Candidate, document: Document) -> float:
        """Return how certain the bot's answer is, 0 if it has none or does not use ``document``."""
        answer = await self._chatbot.ask(candidate.text, history=())
        right = answer.outcome == "answered" and _is_of(answer, candidate, document)
        return answer.certainty or 0.0 if right else 0.0


def _is_of(answer: Answer, candidate: Candidate, document: Document) -> bool:
    """Return whether ``answer`` uses the candidate's source; a term may come from the dictionary."""
    passage = candidate.passage
    if passage is None:
        cites = any(each.document_id in (document.id, DICTIONARY_DOCUMENT) for each in answer.citations)
        return cites and set(content_stems(candidate.answer)) <= set(content_stems(answer.text))
    return any(
        each.chunk_id == passage.id
        or (each.document_id == document.id and each.heading_path == passage.heading_path != ())
        for each in answer.citations
    )
