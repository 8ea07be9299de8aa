"""Refusals and questions back, as help: what is missing, what comes near, what to click next."""

from collections.abc import Sequence

from contracts.answer import Answer, NearDocument
from contracts.jargon import Reading
from ui.chat.answer import source_button
from ui.chat.readings import sense_button
from ui.html import Safe, button, element, join
from ui.markdown import render_markdown
from ui.words import Words


def render_refusal(answer: Answer, exchange: int, contact: str, words: Words) -> Safe:
    """Render a question that the documents do not answer; which may have words of its own."""
    head = words("chat.declined.head")
    if not answer.missing and not answer.nearest:
        # Nothing could be searched at all: the bot's own words say why.
        return _card("declined", head, render_markdown(answer.text)[0])
    missing = None
    if answer.missing:
        items = [element("li", element("strong", each)) for each in answer.missing]
        missing = element("div", element("h4", words("chat.declined.missing")), element("ul", *items, class_="tags"))
    return _card(
        "declined",
        head,
        element("p", words("chat.declined.lead")),
        missing,
        _nearest(answer.nearest, exchange, words),
        element("p", words("chat.declined.next", contact=contact), class_="next"),
    )


def render_unknown_terms(
    unknown: Sequence[Reading], exchange: int, contact: str, wanted: Sequence[str], words: Words
) -> Safe:
    """Render terms that nobody knows: near spellings that ask again, and the way to the manager.

    ``wanted`` are those that the manager was asked for already.
    """
    lead = "chat.unknown.lead" if len(unknown) == 1 else "chat.unknown.lead_many"
    only = len(unknown) == 1
    parts: list[Safe | None] = []
    for place, term in enumerate(unknown):
        parts.append(_suggestions(term, exchange, place, words, only=only))
        parts.append(_want(term, exchange, place, contact, wanted, words))
    return _card(
        "unknown",
        words("chat.unknown.head", terms=", ".join(each.text for each in unknown)),
        element("p", words(lead)),
        *parts,
        element("p", words("chat.unknown.next", contact=_capitalised(contact)), class_="next"),
    )


def render_clarification(answer: Answer, exchange: int, words: Words) -> Safe:
    """Render a question back: the meanings as buttons that ask again."""
    terms = {option.sense.term for option in answer.options}
    head = words("chat.clarify.head", term=terms.pop()) if len(terms) == 1 else words("chat.clarify.head_any")
    buttons = [sense_button(option.sense, exchange, option=place) for place, option in enumerate(answer.options)]
    return _card("clarify", head, element("p", words("chat.clarify.lead")), element("div", *buttons, class_="options"))


def _card(name: str, head: str, *parts: Safe | None) -> Safe:
    return element("div", element("h3", head), *parts, class_=f"card {name}", data_key="answer")


def _nearest(documents: Sequence[NearDocument], exchange: int, words: Words) -> Safe:
    if not documents:
        return element("p", words("chat.declined.none_near"))
    items = [source_button(near, exchange, place, words) for place, near in enumerate(documents, start=1)]
    return element("div", element("h4", words("chat.declined.nearest")), element("ul", *items, class_="nearest"))


def _suggestions(term: Reading, exchange: int, place: int, words: Words, *, only: bool) -> Safe | None:
    if not term.suggestions:
        return None
    buttons = [
        button(
            "suggestion", suggestion, class_="suggestion", data_exchange=exchange, data_reading=place, data_option=index
        )
        for index, suggestion in enumerate(term.suggestions)
    ]
    lead = words("chat.unknown.mean") if only else words("chat.unknown.instead", term=term.text)
    return element("div", element("span", lead), join(buttons), class_="suggestions")


def _want(term: Reading, exchange: int, place: int, contact: str, wanted: Sequence[str], words: Words) -> Safe:
    key = f"want-{place}"
    if term.text in wanted:
        told = words("chat.unknown.wanted", contact=_capitalised(contact), term=term.text)
        return element("p", told, class_="wanted", role="status", data_key=f"{key}-done")
    note = element("input", name="note", type="text", maxlength=500, autocomplete="off")
    send = button(
        "want",
        words("chat.unknown.want", term=term.text),
        class_="want",
        data_exchange=exchange,
        data_reading=place,
        data_submit=True,
    )
    label = element("label", element("span", words("chat.unknown.note")), note)
    return element("div", label, send, class_="else", data_form=True, data_key=key)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
