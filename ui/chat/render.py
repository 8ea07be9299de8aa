"""An exchange as HTML: pure functions from what the server said to what the page shows, every text escaped."""

from collections.abc import Sequence

from ui.chat.answer import render_answer, render_draft, render_judgement, render_sources
from ui.chat.conversation import Conversation, Exchange
from ui.chat.opinion import render_follow_ups, render_tools
from ui.chat.readings import render_readings
from ui.chat.refusals import render_clarification, render_refusal, render_unknown_terms
from ui.chat.steps import progress, render_steps
from ui.html import Safe, button, element, join
from ui.words import Words

_SAID_CHARACTERS = 1_000


def render_past(conversation: Conversation, contact: str, words: Words) -> Safe:
    """Render the exchanges before the last one."""
    return join([render_exchange(each, contact, words, last=False) for each in conversation.exchanges[:-1]])


def render_live(conversation: Conversation, examples: Sequence[str], contact: str, words: Words) -> Safe:
    """Render the last exchange, or a welcome, with what the page's scripts need to know of the conversation."""
    last = conversation.exchanges[-1] if conversation.exchanges else None
    busy = last is not None and not last.finished
    state = element(
        "p",
        said(last, words),
        class_="sr state",
        role="status",
        data_key="state",
        data_conversation=conversation.id,
        data_exchanges=len(conversation.exchanges),
        data_busy=str(busy).lower(),
        data_reading=words("chat.reading"),
        data_you=words("chat.you"),
    )
    if last is None:
        return join([state, render_welcome(examples, words)])
    head = element("h1", words("chat.title"), class_="sr", data_key="title")
    return join([state, head, render_exchange(last, contact, words, last=True)])


def said(exchange: Exchange | None, words: Words) -> str:
    """Say for those who hear the page what goes on: the step under way, then the answer, and nothing in between."""
    if exchange is None:
        return ""
    if not exchange.finished:
        return progress(exchange, words)
    if exchange.problem:
        return words("chat.said.problem", text=exchange.problem)
    return words("chat.said.answered", text=exchange.text[:_SAID_CHARACTERS]) if exchange.text else ""


def render_exchange(exchange: Exchange, contact: str, words: Words, *, last: bool = True) -> Safe:
    """Render a question and what came of it so far; further questions are offered below the ``last`` one."""
    note = element("p", exchange.note, class_="note") if exchange.note else None
    question = element("p", exchange.question, class_="words", dir="auto")
    asked = element("div", element("span", words("chat.you"), class_="sr"), question, note, class_="asked")
    parts = _reply(exchange, contact, words)
    if last and exchange.finished and exchange.answer is not None:
        parts.append(render_follow_ups(exchange.answer, exchange.number, words))
    reply = element("div", *parts, class_="reply", aria_busy=str(not exchange.finished).lower())
    return element("article", asked, reply, class_="exchange", data_key=f"exchange-{exchange.number}",
                   data_exchange=exchange.number)  # fmt: skip


def render_welcome(examples: Sequence[str], words: Words) -> Safe:
    """Render what an empty conversation shows: what the bot does, and questions to begin with."""
    buttons = [
        button("example", example, class_="example", data_option=index) for index, example in enumerate(examples)
    ]
    offered = None
    if buttons:
        head = element("h2", words("chat.welcome.examples"), class_="small")
        offered = element("div", head, element("div", *buttons, class_="examples"))
    greeting = element("h1", words("chat.welcome.head"))
    return element("div", greeting, element("p", words("chat.welcome.more")), offered, class_="welcome", data_key="hi")


def _reply(exchange: Exchange, contact: str, words: Words) -> list[Safe | None]:
    answer, number = exchange.answer, exchange.number
    steps = render_steps(exchange, words)
    if exchange.withheld:
        told = words(f"chat.withheld_{'gone' if exchange.withheld == 'gone' else 'forbidden'}")
        return [element("p", told, class_="remark", data_key="withheld")]
    if answer is not None:
        tools = render_tools(exchange, words) if exchange.finished else None
        return [render_readings(answer, number, words), steps, *_outcome(exchange, contact, words), tools]
    parts: list[Safe | None] = [steps]
    if exchange.draft:
        parts.append(render_draft(exchange.draft, exchange.judged, words))
        parts.append(render_sources(exchange.citations, number, words))
    if exchange.stopped:
        parts.append(element("p", words("chat.stopped"), class_="remark"))
    if exchange.problem:
        parts.append(element("p", exchange.problem, class_="problem", role="alert"))
    if exchange.finished:
        parts.append(render_tools(exchange, words))
    return parts


def _outcome(exchange: Exchange, contact: str, words: Words) -> list[Safe | None]:
    answer, number = exchange.answer, exchange.number
    assert answer is not None
    if answer.outcome == "declined":
        return [render_refusal(answer, number, contact, words)]
    if answer.outcome == "unknown_term":
        return [render_unknown_terms(answer.unknown_terms, number, contact, exchange.wanted, words)]
    if answer.outcome == "clarify":
        return [render_clarification(answer, number, words)]
    return [
        render_answer(answer, number, words),
        render_judgement(answer, words),
        render_sources(answer.citations, number, words),
    ]
