"""What the chat does: asks, follows, asks again with another reading, opens citations, begins anew. Knows no Gradio."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contracts.answer import Answer, Citation
from contracts.errors import GoldenError, NotFound
from contracts.question import Asker, SensePick
from ui import texts
from ui.asking import AnsweringBot, QuestionUnderWay
from ui.conversations import (
    Conversation,
    ConversationShelf,
    Exchange,
    is_conversation_id,
    new_conversation_id,
    restore,
)
from ui.html import Safe, join
from ui.pages import PagePicture
from ui.panel import cited_pages, render_panel
from ui.readings import other_senses
from ui.render import render_exchange, render_welcome

PageImage = Callable[[str, int], PagePicture | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the page shows: the exchanges that are done with, the last one, and whether the bot is at work.

    ``past`` is None where it did not change.
    """

    conversation_id: str
    past: Safe | None
    live: Safe
    busy: bool


# Who uses the page, where nothing is known of them.
_ANYONE = Asker()


class ChatDesk:
    """Serves every browser's conversation, to the account that it is of.

    Ids come from browsers and are checked; a button brings numbers only, and what they stand for is looked up here.
    """

    def __init__(
        self,
        bot: AnsweringBot,
        *,
        examples: Sequence[str] = (),
        contact: str = "the knowledge base manager",
        page_image: PageImage | None = None,
    ) -> None:
        self._bot = bot
        self._examples = tuple(examples)
        self._contact = contact
        self._page_image = page_image
        self._shelf = ConversationShelf()
        self._under_way: dict[tuple[str, str], QuestionUnderWay] = {}
        self._openings = itertools.count(1)

    async def ask(
        self, conversation_id: object, department: str, question: str, *, asker: Asker = _ANYONE
    ) -> AsyncIterator[View]:
        """Ask a question that was typed, for ``asker``; an empty one changes nothing."""
        conversation = await self._open(conversation_id, asker)
        if not question.strip():
            yield self._view(conversation)
            return
        asker, words = replace(asker, department=department), question.strip()
        async for view in self._ask(conversation, asker, words, asked=words, note=""):
            yield view

    async def act(
        self, conversation_id: object, department: str, action: Mapping[str, Any], *, asker: Asker = _ANYONE
    ) -> AsyncIterator[View]:
        """Ask what a button stands for: an example, a meaning, an option of a question back, a near spelling.

        Raises:
            NotFound: the button belongs to an answer that is no longer at hand.
        """
        conversation = await self._open(conversation_id, asker)
        kind, option = action.get("action"), _number(action, "option")
        if kind == "example" and 0 <= option < len(self._examples):
            example = self._examples[option]
            question, asked, note = example, example, ""
        else:
            exchange = conversation.exchange(_number(action, "exchange"))
            if exchange is None or exchange.answer is None:
                raise NotFound(texts.GONE)
            question = exchange.question
            asked, note = _ask_again(conversation, exchange, exchange.answer, action)
        asker = replace(asker, department=department)
        async for view in self._ask(conversation, asker, question, asked=asked, note=note):
            yield view

    async def show(self, conversation_id: object, *, asker: Asker = _ANYONE) -> AsyncIterator[View]:
        """Show a conversation as it stands, and follow it while the bot works on it."""
        conversation = await self._open(conversation_id, asker)
        if await self._was_deleted(conversation):
            self._shelf.drop(conversation)
            conversation = await self._open(conversation_id, asker)
        yield self._view(conversation)
        work = self._under_way.get(conversation.key)
        if work is not None:
            async for view in self._follow(conversation, work):
                yield view

    async def stop(self, conversation_id: object, *, asker: Asker = _ANYONE) -> View:
        """Stop what is under way."""
        conversation = await self._open(conversation_id, asker)
        work = self._under_way.pop(conversation.key, None)
        if work is not None:
            await work.stop()
        return self._view(conversation)

    async def begin(self, conversation_id: object, *, asker: Asker = _ANYONE) -> View:
        """Begin a new conversation; what is under way in the old one stops."""
        await self.stop(conversation_id, asker=asker)
        return self._view(self._begun(asker))

    async def cite(self, conversation_id: object, action: Mapping[str, Any], *, asker: Asker = _ANYONE) -> Safe:
        """Render the passage behind a citation.

        Raises:
            NotFound: the citation belongs to an answer that is no longer at hand.
        """
        conversation = await self._open(conversation_id, asker)
        exchange = conversation.exchange(_number(action, "exchange"))
        citation = exchange.citation(_number(action, "number")) if exchange is not None else None
        if exchange is None or citation is None:
            raise NotFound(texts.GONE)
        pictures = await self._pictures(citation)
        return render_panel(
            citation,
            exchange=exchange.number,
            count=len(exchange.citations),
            pictures=pictures,
            opening=next(self._openings),
        )

    async def _pictures(self, citation: Citation) -> dict[int, PagePicture]:
        if self._page_image is None:
            return {}
        pictures: dict[int, PagePicture] = {}
        for page in cited_pages(citation):
            picture = await asyncio.to_thread(self._page_image, citation.document_id, page)
            if picture is not None:
                pictures[page] = picture
        return pictures

    async def _ask(
        self, conversation: Conversation, asker: Asker, question: str, *, asked: str, note: str
    ) -> AsyncIterator[View]:
        before = self._under_way.get(conversation.key)
        if before is not None and before.is_about(question, note):
            # Enter pressed twice, or a button clicked twice: one question.
            async for view in self._follow(conversation, before):
                yield view
            return
        self._under_way.pop(conversation.key, None)
        if before is not None:
            await before.stop()
        work = QuestionUnderWay(conversation.begin(question, note=note), self._contact)
        self._under_way[conversation.key] = work
        yield self._view(conversation)
        work.start(self._bot, asked, conversation_id=conversation.id, asker=asker, picks=conversation.picks_to_ask())
        async for view in self._follow(conversation, work):
            yield view

    async def _follow(self, conversation: Conversation, work: QuestionUnderWay) -> AsyncIterator[View]:
        async for _ in work.follow():
            if conversation.exchanges[-1] is not work.exchange:
                return
            if work.exchange.finished and self._under_way.get(conversation.key) is work:
                del self._under_way[conversation.key]
            yield self._view(conversation, with_past=False)

    async def _open(self, conversation_id: object, asker: Asker) -> Conversation:
        if not isinstance(conversation_id, str) or not is_conversation_id(conversation_id):
            return self._begun(asker)
        account = asker.account
        found = self._shelf.find(account, conversation_id)
        if found is not None:
            return found
        turns = await self._bot.history(conversation_id, account=account)
        return self._shelf.find(account, conversation_id) or self._shelf.put(restore(account, conversation_id, turns))

    def _begun(self, asker: Asker) -> Conversation:
        return self._shelf.put(Conversation(id=new_conversation_id(), account=asker.account))

    async def _was_deleted(self, conversation: Conversation) -> bool:
        """Say whether the bot forgot a conversation that is kept here: somebody deleted it elsewhere."""
        exchanges = conversation.exchanges
        if conversation.key in self._under_way or not any(each.answer is not None for each in exchanges):
            return False
        try:
            return not await self._bot.history(conversation.id, account=conversation.account)
        except GoldenError:
            # What is at hand can be shown, whatever is away.
            return False

    def _view(self, conversation: Conversation, *, with_past: bool = True) -> View:
        exchanges = conversation.exchanges
        past = join([render_exchange(each, contact=self._contact) for each in exchanges[:-1]]) if with_past else None
        live = render_exchange(exchanges[-1], contact=self._contact) if exchanges else render_welcome(self._examples)
        busy = bool(exchanges) and not exchanges[-1].finished
        return View(conversation_id=conversation.id, past=past, live=live, busy=busy)


def _number(action: Mapping[str, Any], name: str) -> int:
    """Read a number that a button brought; -1, which points nowhere, for anything else."""
    value = str(action.get(name, ""))
    return int(value) if value.isdecimal() and len(value) < 7 else -1


def _ask_again(
    conversation: Conversation, exchange: Exchange, answer: Answer, action: Mapping[str, Any]
) -> tuple[str, str]:
    """Return what to ask the bot again and a note on what changed; a chosen meaning is remembered.

    Raises:
        NotFound: there is no such button under that answer.
    """
    kind, reading, option = action.get("action"), _number(action, "reading"), _number(action, "option")
    words = _words(exchange, answer)
    try:
        if min(option, reading if kind != "option" else 0) < 0:
            raise NotFound(texts.GONE)
        if kind == "suggestion":
            unknown = answer.unknown_terms[reading]
            spelling = unknown.suggestions[option]
            change = texts.SPELT_AS.format(term=unknown.mention.text, spelling=spelling)
            return _respell(words, unknown.mention.text, spelling), texts.ASKED_AGAIN.format(changes=change)
        if kind == "sense":
            term = answer.readings[reading].mention.term
            sense = other_senses(answer.readings[reading])[option]
        elif kind == "option":
            sense = answer.options[option].sense
            term = sense.term
        else:
            raise NotFound(texts.GONE)
    except IndexError:
        raise NotFound(texts.GONE) from None
    conversation.choose(SensePick(term=term, extended_name=sense.extended_name, context=sense.context))
    change = texts.READ_AS.format(term=term, name=sense.extended_name)
    return words, texts.ASKED_AGAIN.format(changes=change)


def _words(exchange: Exchange, answer: Answer) -> str:
    """Return the question to ask again: the asker's words, unless they only made sense after the turns before."""
    standalone = answer.standalone_question
    return standalone if standalone and standalone not in exchange.question else exchange.question


def _respell(question: str, term: str, spelling: str) -> str:
    pattern = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
    respelt, count = pattern.subn(lambda _: spelling, question)
    return respelt if count else f"{question} ({spelling})"
