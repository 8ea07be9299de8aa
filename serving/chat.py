"""The chat as a service: asks the bot on behalf of the caller, and adds information from the server to its answers.

The OpenAI-compatible routes and the chat page use it.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass

from agent.chatbot import Chatbot
from contracts.answer import Answer, AnswerEvent, AnswerReady, Citation, PoorlyReadPage
from contracts.errors import GoldenError, NotFound
from contracts.question import LOCAL_ACCOUNT, Asker, SensePick, Turn
from contracts.search import Groups
from contracts.text import Document, reading_confidence
from library.store import LibraryStore
from serving.access import Actor
from serving.follow_ups import NearbyQuestions, follow_ups

MODEL = "golden"
# Ids are readable, and contain no character with a special meaning in addresses or clients' model lists.
_ESCAPED = re.compile(r"[^\w.-]|^\.")


class UnknownModel(NotFound):
    """The caller has no such model."""

    code = "model_not_found"
    field = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model as clients choose it: its id, its readable name, and the group it searches (None: all readable ones)."""

    id: str = MODEL
    name: str = MODEL
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to ``model``. ``follow_ups`` means that the answer includes further questions."""

    text: str
    asker: Asker
    model: ServedModel
    history: tuple[Turn, ...] = ()
    picks: tuple[SensePick, ...] = ()
    conversation_id: str = ""
    follow_ups: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatService:
    """Asks the bot. Without ``library`` there are no groups or page readings; without ``suggester``, no follow-ups.

    ``citation_url`` is the template of the addresses of cited pages. ``footer`` is the default for whether replies to
    programs end with meanings and sources.
    """

    chatbot: Chatbot
    library: LibraryStore | None = None
    suggester: NearbyQuestions | None = None
    citation_url: str = ""
    footer: bool = True

    async def models(self, groups: Groups) -> tuple[ServedModel, ...]:
        """Return the models for an asker who may read ``groups`` (None: all): the bot, and the bot for each group."""
        known = await asyncio.to_thread(self.library.ledger.groups) if self.library is not None else ()
        over = (each for each in known if groups is None or each in groups)
        return (ServedModel(), *(ServedModel(id=_id_over(each), name=f"{MODEL}/{each}", group=each) for each in over))

    async def model(self, model_id: str, asker: Asker) -> ServedModel:
        """Return the model with this id ("": the bot); a group's model is also found by the group's plain name.

        Raises:
            UnknownModel: the asker has no model with this id.
            Unavailable: the database does not answer.
        """
        if model_id in ("", MODEL):
            return ServedModel()
        found = next((each for each in await self.models(asker.groups) if model_id in (each.id, each.name)), None)
        if found is None:
            raise UnknownModel(
                f"The model {model_id!r} does not exist; use {MODEL!r}, or one that GET /v1/models lists."
            )
        return found

    async def chosen_documents(self, asker: Asker) -> tuple[Document, ...]:
        """Return the documents that ``asker`` chose and may read."""
        if self.library is None or not asker.documents:
            return ()
        found = await asyncio.to_thread(self.library.documents_of, asker.documents, groups=asker.groups)
        return tuple(found.values())

    async def count_passages(self, asker: Asker) -> int:
        """Return how many passages are searched for ``asker``; 0 if unknown."""
        if self.library is not None:
            with suppress(GoldenError):
                chosen = {"groups": asker.groups, "documents": asker.documents}
                return await asyncio.to_thread(self.library.count_passages, **chosen)
        return 0

    async def stream(self, question: Question) -> AsyncGenerator[AnswerEvent, None]:
        """Return the events of the answer as they happen, ``AnswerReady`` last; closing the iterator stops the work.

        Raises:
            InvalidInput: the question is empty or too long.
            NotFound: the asker may not read a document that they chose, or it does not exist.
            Unavailable: something that is needed is unavailable; also raised while iterating.
        """
        if self.library is not None and (chosen := question.asker.documents):
            await asyncio.to_thread(self.library.expect_documents, chosen, groups=question.asker.groups)
        events = self.chatbot.stream(
            question.text,
            conversation_id=question.conversation_id,
            history=question.history,
            asker=question.asker,
            picks=question.picks,
        )
        return self._completed(events, question)

    async def _completed(
        self, events: AsyncGenerator[AnswerEvent, None], question: Question
    ) -> AsyncGenerator[AnswerEvent, None]:
        async with aclosing(events):
            async for event in events:
                if isinstance(event, AnswerReady):
                    event = AnswerReady(answer=await self._complete(event.answer, question))
                yield event

    async def _complete(self, answer: Answer, question: Question) -> Answer:
        if self.library is not None and answer.quoted:
            answer = await asyncio.to_thread(with_page_readings, answer, self.library)
        if not question.follow_ups or self.suggester is None or answer.outcome != "answered":
            return answer
        asked = [turn.text for turn in question.history if turn.role == "user"]
        said = f"{answer.standalone_question or answer.question} {answer.text}"
        explained = [each.term for each in answer.readings if each.sense is not None]
        found = await follow_ups(said, [*asked, question.text], self.suggester, question.asker, explained=explained)
        return answer.model_copy(update={"follow_ups": found})


def _id_over(group: str) -> str:
    """Return the id of the bot for a group, percent-encoded except for letters, digits, ``_``, ``.`` and ``-``."""
    return f"{MODEL}/" + _ESCAPED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode()), group)


def asker_of(
    actor: Actor, *, channel: str = "api", department: str = "", collection: str = "", documents: Sequence[str] = ()
) -> Asker:
    """Return the asker: ``actor``, in ``department`` or else their own, through ``channel``.

    If ``collection`` names a group that the actor may read, only its documents are used; if ``documents`` contains ids,
    only those documents.
    """
    groups = actor.groups
    if collection:
        groups = frozenset({collection}) if groups is None else groups & {collection}
    return Asker(
        department=department or actor.department,
        groups=groups,
        documents=frozenset(documents) or None,
        account=actor.account or LOCAL_ACCOUNT,
        name=actor.name,
        channel=channel,
    )


def with_page_readings(answer: Answer, library: LibraryStore) -> Answer:
    """Add to ``answer`` how well each quoted text was read, and the pages that were poorly read. Blocking."""
    chunks = library.chunks(list({each.chunk_id for each in answer.quoted}))
    poor = library.ledger.poor_pages(list({each.document_id for each in answer.quoted}))
    citations: list[Citation] = []
    pages: dict[tuple[str, int], PoorlyReadPage] = {}
    for citation in answer.quoted:
        chunk = chunks.get(citation.chunk_id)
        confidence = reading_confidence(
            box
            for box in (chunk.boxes if chunk is not None else ())
            if any(box.span.start < span.end and span.start < box.span.end for span in citation.quote_spans)
        )
        citations.append(citation.model_copy(update={"reading_confidence": confidence}))
        reasons = {page.page: page.reason for page in poor.get(citation.document_id, ())}
        if reason := reasons.get(citation.page, ""):
            place = (citation.document_id, citation.page)
            numbers = pages[place].citations if place in pages else ()
            pages[place] = PoorlyReadPage(
                document=citation.document_name,
                document_id=citation.document_id,
                page=citation.page,
                citations=(*numbers, citation.number),
                reason=reason,
            )
    quoted = "citations" if answer.citations else "closest"
    return answer.model_copy(update={quoted: tuple(citations), "poor_pages": tuple(pages.values())})
