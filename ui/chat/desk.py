"""What the chat does: asks, follows, asks again, opens pages, hears what people say. It knows no Gradio."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from contracts.documents import PageSheet
from ui.answer_wire import Citation, Feedback, Near
from ui.chat.again import Wish, wish_in
from ui.chat.asking import QuestionUnderWay
from ui.chat.composer import MAX_TYPED_CHARACTERS
from ui.chat.conversation import (
    Conversation,
    ConversationShelf,
    Exchange,
    bring_in_line,
    conversation_id_in,
    new_conversation_id,
)
from ui.chat.opinion import REASONS
from ui.chat.panel import Opened, cited_pages, render_panel
from ui.chat.render import render_live, render_past
from ui.chat.wire import KeptConversation
from ui.client import ApiProblem
from ui.html import Safe
from ui.page_picture import read_page
from ui.pages import Action, Visit

_TURNS_A_PAGE = 200
_MAX_TURNS = 1_000
_MAX_TEXT_CHARACTERS = 2_000
_GONE = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the page shows: the exchanges that are done with, and the last one. ``past`` is None where it stays."""

    conversation_id: str
    past: Safe | None
    live: Safe
    busy: bool


class ChatDesk:
    """Serves every browser's conversation, to whoever it is of; the server decides what they may see.

    Ids come from browsers and are checked; a button brings numbers only, and what they stand for is looked up here.
    Beside questions under way it keeps what the server does not: what was stopped, and what nobody keeps.
    """

    def __init__(self) -> None:
        self._shelf = ConversationShelf()
        self._under_way: dict[tuple[str, str], QuestionUnderWay] = {}
        self._openings = itertools.count(1)

    async def show(self, visit: Visit, conversation_id: object) -> AsyncIterator[View]:
        """Show a conversation as it stands now, and follow it while the server works on it."""
        conversation, owner = await self._open(visit, conversation_id), await _owner(visit)
        work = self._under_way.get((owner, conversation.id))
        if work is None:
            await _restore(visit, conversation)
        yield await self._view(visit, conversation)
        if work is not None:
            async for view in self._follow(visit, conversation, work):
                yield view

    async def ask(self, visit: Visit, conversation_id: object, department: str, text: str) -> AsyncIterator[View]:
        """Ask a question that was typed; an empty one changes nothing."""
        conversation = await self._open(visit, conversation_id)
        question = text[:MAX_TYPED_CHARACTERS].strip()
        if not question:
            yield await self._view(visit, conversation)
            return
        async for view in self._ask(visit, conversation, department, Wish(question=question, asked=question)):
            yield view

    async def act(self, visit: Visit, conversation_id: object, department: str, action: Action) -> AsyncIterator[View]:
        """Ask what a button stands for: an example, a meaning, a spelling, a further question, the same again.

        Raises:
            ApiProblem: the button belongs to an answer that is no longer at hand.
        """
        conversation = await self._open(visit, conversation_id)
        if action.name == "example":
            examples, option = (await visit.me()).examples, action.number("option")
            if not 0 <= option < len(examples):
                raise _gone(visit)
            wish: Wish | None = Wish(question=examples[option], asked=examples[option])
        else:
            exchange = await self._exchange(visit, conversation, action)
            wish = wish_in(action, exchange, visit.words)
        if wish is None:
            raise _gone(visit)
        if wish.pick is not None:
            conversation.choose(wish.pick)
        async for view in self._ask(visit, conversation, department, wish):
            yield view

    async def say(self, visit: Visit, conversation_id: object, action: Action) -> View:
        """Tell the server what a person thinks of an answer, or that they want a term explained.

        Raises:
            ApiProblem: the server refuses it, or the answer is no longer at hand.
        """
        conversation = await self._open(visit, conversation_id)
        exchange = await self._exchange(visit, conversation, action)
        if action.name == "want":
            await _want(visit, exchange, action)
        elif action.name == "unsay":
            await visit.session.send("DELETE", f"/api/feedback/{quote(exchange.turn_id, safe='')}")
            exchange.feedback = None
        else:
            await _judge(visit, exchange, action)
        return await self._view(visit, conversation)

    async def stop(self, visit: Visit, conversation_id: object) -> View:
        """Stop what is under way, on the server, too."""
        conversation, owner = await self._open(visit, conversation_id), await _owner(visit)
        work = self._under_way.pop((owner, conversation.id), None)
        if work is not None:
            await work.stop()
        return await self._view(visit, conversation)

    async def begin(self, visit: Visit) -> View:
        """Begin a new conversation; what is under way in another one goes on."""
        return await self._view(visit, await self._open(visit, ""))

    async def page(self, visit: Visit, conversation_id: object, action: Action) -> Safe:
        """Render the page behind a citation, or that of a document that comes near.

        Raises:
            ApiProblem: it belongs to an answer that is no longer at hand.
        """
        conversation = await self._open(visit, conversation_id)
        exchange = await self._exchange(visit, conversation, action)
        shown = _shown(exchange, action)
        if shown is None:
            raise _gone(visit)
        poor = exchange.answer.poor_pages if exchange.answer is not None else ()
        opened = Opened(exchange=exchange.number, count=len(exchange.citations), shown=shown, poor=poor,
                        sheets=await _sheets(visit, shown))  # fmt: skip
        return render_panel(opened, visit.words, prefix=visit.prefix, opening=next(self._openings))

    async def _ask(self, visit: Visit, conversation: Conversation, department: str, wish: Wish) -> AsyncIterator[View]:
        key = await _owner(visit), conversation.id
        before = self._under_way.get(key)
        if before is not None and before.is_about(wish.question, wish.note):
            # Enter pressed twice, or a button clicked twice: one question.
            async for view in self._follow(visit, conversation, before):
                yield view
            return
        self._under_way.pop(key, None)
        if before is not None:
            await before.stop()
        body = _body(conversation, department, wish)
        exchange = conversation.begin(wish.question, asked=wish.asked, note=wish.note)
        work = QuestionUnderWay(exchange, visit.words)
        self._under_way[key] = work
        yield await self._view(visit, conversation)
        work.start(visit.session, body)
        async for view in self._follow(visit, conversation, work):
            yield view

    async def _follow(self, visit: Visit, conversation: Conversation, work: QuestionUnderWay) -> AsyncIterator[View]:
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
        found = self._shelf.find(owner, wanted) if wanted else None
        return found or self._shelf.put(owner, Conversation(id=wanted or new_conversation_id()))

    async def _exchange(self, visit: Visit, conversation: Conversation, action: Action) -> Exchange:
        number = action.number("exchange")
        if conversation.exchange(number) is None:
            # Put away meanwhile, or shown by a server that was stopped since.
            await _restore(visit, conversation)
        exchange = conversation.exchange(number)
        if exchange is None:
            raise _gone(visit)
        return exchange

    async def _view(self, visit: Visit, conversation: Conversation, *, with_past: bool = True) -> View:
        me = await visit.me()
        live = render_live(conversation, me.examples, me.contact, visit.words)
        past = render_past(conversation, me.contact, visit.words) if with_past else None
        busy = bool(conversation.exchanges) and not conversation.exchanges[-1].finished
        return View(conversation_id=conversation.id, past=past, live=live, busy=busy)


async def _owner(visit: Visit) -> str:
    """Return whose conversations are shown: an account, and what it may read now."""
    me = await visit.me()
    return f"{me.account}\n{'*' if me.groups is None else ' '.join(sorted(me.groups))}"


async def _restore(visit: Visit, conversation: Conversation) -> None:
    """Bring a conversation in line with what the server keeps of it; where that is away, what is at hand is shown."""
    path, after = f"/api/conversations/{quote(conversation.id, safe='')}", None
    turns: list[Any] = []
    while len(turns) < _MAX_TURNS:
        try:
            told = await visit.session.get(path, {"limit": _TURNS_A_PAGE, "after": after})
        except ApiProblem as problem:
            if problem.status == _GONE:
                bring_in_line(conversation, (), known=False)
            return
        page = KeptConversation.model_validate(told)
        turns += page.turns
        after = page.next
        if after is None:
            break
    bring_in_line(conversation, turns, known=True)


def _body(conversation: Conversation, department: str, wish: Wish) -> dict[str, Any]:
    golden: Mapping[str, Any] = {
        "conversation": conversation.id,
        "department": department,
        "picks": [pick.as_json() for pick in conversation.picks_to_ask()],
        "footer": False,
        "passages": True,
        "follow_ups": True,
    }
    return {"messages": conversation.messages(wish.asked), "stream": True, "golden": dict(golden)}


async def _judge(visit: Visit, exchange: Exchange, action: Action) -> None:
    verdict = "up" if action.name == "up" else "down"
    reason = action.fields.get("reason", "") if action.name == "why" else ""
    text = action.fields.get("text", "")[:_MAX_TEXT_CHARACTERS] if action.name == "why" else ""
    reason = reason if reason in REASONS else ("other" if text.strip() else "")
    said = {"turn": exchange.turn_id, "verdict": verdict, "reason": reason, "text": text}
    await visit.session.send("POST", "/api/feedback", json=said)
    exchange.feedback = Feedback(verdict=verdict, reason=reason, text=text)


async def _want(visit: Visit, exchange: Exchange, action: Action) -> None:
    place, answer = action.number("reading"), exchange.answer
    if answer is None or not 0 <= place < len(answer.unknown_terms):
        raise _gone(visit)
    term = answer.unknown_terms[place].term
    note = action.fields.get("note", "")[:500]
    await visit.session.send("POST", "/api/dictionary/wanted", json={"term": term, "note": note})
    exchange.wanted = (*exchange.wanted, term)


def _shown(exchange: Exchange, action: Action) -> Citation | Near | None:
    number, answer = action.number("number"), exchange.answer
    if action.name != "near":
        return exchange.citation(number)
    near = answer.nearest if answer is not None else ()
    return near[number - 1] if 1 <= number <= len(near) else None


async def _sheets(visit: Visit, shown: Citation | Near) -> list[PageSheet]:
    """Return the pages as the server has them; it has no picture of some."""

    async def read(page: int) -> PageSheet | None:
        try:
            return await read_page(visit.session, shown.document_id, page)
        except ApiProblem:
            return None

    found = await asyncio.gather(*map(read, cited_pages(shown))) if shown.document_id else []
    return [sheet for sheet in found if sheet is not None]


def _gone(visit: Visit) -> ApiProblem:
    return ApiProblem(visit.words("chat.gone"), status=_GONE, code="gone")
