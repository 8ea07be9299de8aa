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
from library.suggested_questions import SuggestedQuestionStore
from serving.question_candidates import Candidate, find_candidates
from tools.jargon.base import read_only
from tools.language import content_stems

# How many questions to check each time the library has changed: about a single document, about each of several, and in
# all.
_FIRST, _A_DOCUMENT, _AT_ONCE = 12, 2, 40
_LOOK_EVERY_S = 5.0
# A pause between checks, so that users' questions are hardly slowed down.
_PAUSE_S = 1.0

_LOG = logging.getLogger(__name__)


class QuestionCheck:
    """Finds questions that ``services`` answer with certainty from the library's documents, and stores them.

    Its questions appear in no conversation, log or queue. ``written``: a language model writes the summaries, whose
    questions are tried too.
    """

    def __init__(self, store: LibraryStore, services: Services, *, written: bool = False) -> None:
        self._store = store
        self._offered = SuggestedQuestionStore(store.engine)
        self._chatbot = Chatbot(replace(services, dictionary=read_only(services.dictionary)))
        self._written = written

    async def run(self) -> None:
        """Follow the library until cancelled, between questions and ingestions; errors are logged."""
        done = seen = -1
        while True:
            try:
                version = await asyncio.to_thread(self._store.version)
                # While documents are being added, each check finds another version.
                if version == seen != done:
                    await self.update(between_questions=True)
                    done = version
                seen = version
            except Unavailable as error:
                _LOG.info("the search for questions to offer is postponed: %s", error)
            except Exception:
                _LOG.exception("the search for questions to offer failed")
                done = seen
            await asyncio.sleep(_LOOK_EVERY_S)

    async def update(self, *, between_questions: bool = False) -> None:
        """Ask about new documents: at most forty questions, two about each if there are many documents.

        Raises:
            Unavailable: something that answers need is missing right now.
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
                    await asyncio.sleep(_PAUSE_S)
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
    """Return whether ``answer`` uses what the candidate was made from; a term may come from the dictionary."""
    passage = candidate.passage
    if passage is None:
        cites = any(each.document_id in (document.id, DICTIONARY_DOCUMENT) for each in answer.citations)
        return cites and set(content_stems(candidate.answer)) <= set(content_stems(answer.text))
    return any(
        each.chunk_id == passage.id
        or (each.document_id == document.id and each.heading_path == passage.heading_path != ())
        for each in answer.citations
    )
