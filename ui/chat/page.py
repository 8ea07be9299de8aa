"""The actions of the chat: ask, follow, ask again, open pages, take feedback. This module does not depend on Gradio."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace

from markupsafe import Markup

from agent.policy import Policy
from contracts.answer import AnswerEvent, Citation
from contracts.documents import PageInfo
from contracts.errors import GoldenError, NotFound
from contracts.question import Asker, Turn
from contracts.records import FeedbackReason
from serving.chat import Question, asker_of
from ui.chat.answer_buttons import NextQuestion, question_of_button
from ui.chat.conversation import (
    NOTHING_CHOSEN,
    Chosen,
    Conversation,
    Exchange,
    RecentConversations,
    conversation_id_in,
    new_conversation_id,
    synchronise,
)
from ui.chat.panel import cited_pages, render_panel
from ui.chat.render import MAX_TYPED_CHARACTERS, REASONS, render_composer, render_live, render_past
from ui.chat.running_question import RunningQuestion
from ui.pages import CHANNEL, Action, Visit

_MAX_TURNS = 1_000
_MAX_TEXT_CHARACTERS = 2_000
_MAX_LISTED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The content of the page: the finished exchanges and the last one. ``past`` is None if it does not change."""

    conversation_id: str
    past: Markup | None
    live: Markup
    busy: bool
    exchanges: int


class ChatPage:
    """Shows conversations to their owners; the server decides what they may see.

    Ids come from browsers and are checked. Besides running questions, it keeps those that the server does not store:
    stopped ones, or all if nothing is stored.
    """

    def __init__(self) -> None:
        self._recent = RecentConversations()
        self._under_way: dict[tuple[str, str], RunningQuestion] = {}
        self._revisions = itertools.count(1)

    async def show(self, visit: Visit, conversation_id: object) -> AsyncIterator[View]:
        """Show a conversation as it is now, and follow it while the bot works on it."""
        conversation, owner = await self._open(visit, conversation_id), await _owner(visit)
        work = self._under_way.get((owner, conversation.id))
        if work is None:
            await _restore(visit, conversation)
        yield await self._view(visit, conversation)
        if work is not None:
            async for view in self._follow(visit, conversation, work):
                yield view

    async def composer(self, visit: Visit, chosen: Chosen, *, text: str | None = None) -> Markup:
        """Render the composer, with the choices for a question; choices that no longer exist are dropped.

        The documents whose names or paths contain ``text`` are listed; None lists none.
        """
        me, actor, chat = await visit.me(), await visit.actor("ask"), visit.services.chat
        collections = [each.group for each in await chat.models(actor.groups) if each.group is not None]
        collection = chosen.collection if chosen.collection in collections else ""
        asker = asker_of(actor, collection=collection, documents=chosen.documents)
        picked = {each.id: each.title or each.name for each in await chat.chosen_documents(asker)}
        found = {}
        if text is not None:
            search, reader = visit.services.documents.search, replace(actor, groups=asker.groups)
            listed = await asyncio.to_thread(search, reader, text=text, state="ready", limit=_MAX_LISTED)
            found = {each.document_id: each.title or each.name for each in listed.documents}
        return render_composer(me, visit.words, replace(chosen, collection=collection, documents=tuple(picked)),
                               collections=collections, documents=picked | found)  # fmt: skip

    async def ask(
        self, visit: Visit, conversation_id: object, text: str, chosen: Chosen = NOTHING_CHOSEN
    ) -> AsyncIterator[View]:
        """Ask a question that was typed; an empty one changes nothing."""
        conversation = await self._open(visit, conversation_id)
        question = text[:MAX_TYPED_CHARACTERS].strip()
        if not question:
            yield await self._view(visit, conversation)
            return
        wanted = NextQuestion(question=question, asked=question)
        async for view in self._ask(visit, conversation, wanted, chosen):
            yield view

    async def act(
        self, visit: Visit, conversation_id: object, action: Action, chosen: Chosen = NOTHING_CHOSEN
    ) -> AsyncIterator[View]:
        """Ask a button's question: an example, a further question, another meaning or spelling, or the same question.

        Raises:
            NotFound: the button belongs to an answer that is no longer available.
        """
        conversation = await self._open(visit, conversation_id)
        if action.name == "example":
            # Identified by its text: the examples may have changed since the page was shown.
            question = action.values.get("question", "")[:MAX_TYPED_CHARACTERS].strip()
            wanted = NextQuestion(question=question, asked=question) if question else None
        else:
            exchange = await self._exchange(visit, conversation, action)
            wanted = question_of_button(action, exchange, visit.words)
        if wanted is None:
            raise _gone(visit)
        if wanted.pick is not None:
            conversation.choose(wanted.pick)
        async for view in self._ask(visit, conversation, wanted, chosen):
            yield view

    async def give_feedback(self, visit: Visit, conversation_id: object, action: Action) -> View:
        """Store feedback on an answer, or a request to explain a term.

        Raises:
            NotFound: the answer is no longer available.
            GoldenError: it is refused.
        """
        conversation = await self._open(visit, conversation_id)
        exchange = await self._exchange(visit, conversation, action)
        if action.name == "request_term":
            await _want(visit, exchange, action)
        elif action.name == "withdraw_feedback":
            await visit.call("ask", visit.services.records.take_back, exchange.turn_id)
            exchange.feedback = None
        else:
            await _judge(visit, exchange, action)
        return await self._view(visit, conversation)

    async def stop(self, visit: Visit, conversation_id: object) -> View:
        conversation, owner = await self._open(visit, conversation_id), await _owner(visit)
        work = self._under_way.pop((owner, conversation.id), None)
        if work is not None:
            await work.stop()
        return await self._view(visit, conversation)

    async def begin(self, visit: Visit) -> View:
        """Start a new conversation; running questions in other conversations continue."""
        return await self._view(visit, await self._open(visit, ""))

    async def page(self, visit: Visit, conversation_id: object, action: Action) -> Markup:
        """Render the page that a quotation comes from.

        Raises:
            NotFound: it belongs to an answer that is no longer available.
        """
        conversation = await self._open(visit, conversation_id)
        exchange = await self._exchange(visit, conversation, action)
        shown = exchange.citation(action.number("number"))
        if shown is None:
            raise _gone(visit)
        sheets, revision = await _sheets(visit, shown), next(self._revisions)
        return render_panel(visit, exchange, shown, sheets, revision=revision)

    async def _ask(
        self, visit: Visit, conversation: Conversation, wanted: NextQuestion, chosen: Chosen
    ) -> AsyncIterator[View]:
        key = await _owner(visit), conversation.id
        before = self._under_way.get(key)
        if before is not None and before.is_about(wanted.question, wanted.note):
            # Enter pressed twice, or a button clicked twice: one question.
            async for view in self._follow(visit, conversation, before):
                yield view
            return
        self._under_way.pop(key, None)
        if before is not None:
            await before.stop()
        history, picks = conversation.history(chosen.collection), conversation.picks_to_ask()
        exchange = conversation.begin(
            wanted.question, asked=wanted.asked, note=wanted.note, picks=picks, collection=chosen.collection
        )
        work = RunningQuestion(exchange, visit.words)
        self._under_way[key] = work
        yield await self._view(visit, conversation)
        work.start(_events(visit, exchange, history, conversation.id, chosen))
        async for view in self._follow(visit, conversation, work):
            yield view

    async def _follow(self, visit: Visit, conversation: Conversation, work: RunningQuestion) -> AsyncIterator[View]:
        key = await _owner(visit), conversation.id
        async for _ in work.follow():
            if not conversation.exchanges or conversation.exchanges[-1] is not work.exchange:
                return
            if work.exchange.finished and self._under_way.get(key) is work:
                del self._under_way[key]
            yield await self._view(visit, conversation, with_past=False)

    async def _open(self, visit: Visit, conversation_id: object) -> Conversation:
        owner = await _owner(visit)
        wanted = conversation_id_in(conversation_id)
        found = self._recent.find(owner, wanted) if wanted else None
        return found or self._recent.put(owner, Conversation(id=wanted or new_conversation_id()))

    async def _exchange(self, visit: Visit, conversation: Conversation, action: Action) -> Exchange:
        number = action.number("exchange")
        if conversation.exchange(number) is None:
            # Removed in the meantime, or shown by a server that has since been stopped.
            await _restore(visit, conversation)
        exchange = conversation.exchange(number)
        if exchange is None:
            raise _gone(visit)
        return exchange

    async def _view(self, visit: Visit, conversation: Conversation, *, with_past: bool = True) -> View:
        me = await visit.me()
        contact = visit.words("chat.contact") if me.contact == Policy().contact else me.contact
        live = render_live(conversation, me, contact, visit.words, visit.path)
        past = render_past(conversation, contact, visit.words) if with_past else None
        busy = bool(conversation.exchanges) and not conversation.exchanges[-1].finished
        exchanges = len(conversation.exchanges)
        return View(conversation_id=conversation.id, past=past, live=live, busy=busy, exchanges=exchanges)


async def _owner(visit: Visit) -> str:
    """Return the owner of the shown conversations: an account, and the groups that it may read now."""
    me = await visit.me()
    return f"{me.account}\n{'*' if me.groups is None else ' '.join(sorted(me.groups))}"


async def _restore(visit: Visit, conversation: Conversation) -> None:
    """Synchronise a conversation with its stored turns; if they cannot be read, show the conversation in memory."""
    kept = visit.services.records.conversation
    try:
        turns = (await visit.call("ask", kept, conversation.id, limit=_MAX_TURNS)).turns
    except NotFound:
        synchronise(conversation, (), known=False)
    except GoldenError:
        return
    else:
        synchronise(conversation, turns, known=True)


async def _events(
    visit: Visit, exchange: Exchange, history: tuple[Turn, ...], conversation_id: str, chosen: Chosen
) -> AsyncGenerator[AnswerEvent, None]:
    chat = visit.services.chat
    async with visit.question() as actor:
        asker = asker_of(actor, channel=CHANNEL, **asdict(chosen))
        asked = Question(
            text=exchange.asked,
            asker=asker,
            model=await chat.model("", asker),
            history=history,
            picks=exchange.picks,
            conversation_id=conversation_id,
            follow_ups=True,
        )
        counting = asyncio.create_task(_count_passages(visit, exchange, asker))
        try:
            async with aclosing(await chat.stream(asked)) as events:
                async for event in events:
                    yield event
        finally:
            counting.cancel()


async def _count_passages(visit: Visit, exchange: Exchange, asker: Asker) -> None:
    # In parallel with the question: in a large library, counting takes as long as the first steps.
    exchange.passages = await visit.services.chat.count_passages(asker)


async def _judge(visit: Visit, exchange: Exchange, action: Action) -> None:
    fields = action.fields if action.name in ("send_feedback", "report_missing") else {}
    text = fields.get("text", "")[:_MAX_TEXT_CHARACTERS]
    given = "should_have_answered" if action.name == "report_missing" else fields.get("reason")
    chosen: FeedbackReason = next((each for each in REASONS if each == given), "")
    exchange.feedback = await visit.call(
        "ask",
        visit.services.records.give_feedback,
        exchange.turn_id,
        "up" if action.name == "up" else "down",
        reason=chosen or ("other" if text.strip() else ""),
        text=text,
    )


async def _want(visit: Visit, exchange: Exchange, action: Action) -> None:
    term = action.values.get("term", "")
    await visit.call("ask", visit.services.dictionary.want, term, action.fields.get("note", "")[:500])
    exchange.wanted = (*exchange.wanted, term)


async def _sheets(visit: Visit, shown: Citation) -> list[PageInfo]:
    """Return the cited pages that have pictures."""
    actor = await visit.actor("ask")

    async def read(page: int) -> PageInfo | None:
        try:
            return await visit.services.documents.sheet(actor, shown.document_id, page)
        except GoldenError:
            return None

    found = await asyncio.gather(*map(read, cited_pages(shown))) if shown.document_id else []
    return [sheet for sheet in found if sheet is not None]


def _gone(visit: Visit) -> NotFound:
    return NotFound(visit.words("chat.answer_gone"))
