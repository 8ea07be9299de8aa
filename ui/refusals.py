"""Refusals and questions back, as help: what is missing, what comes near, what to click next."""

from collections.abc import Sequence

from contracts.answer import Answer, NearDocument
from contracts.jargon import Reading
from ui import texts
from ui.html import Safe, element, join
from ui.markdown import render_markdown
from ui.readings import sense_button


def render_refusal(answer: Answer, contact: str) -> Safe:
    """Render a question that the documents do not answer."""
    if not answer.missing and not answer.nearest:
        # Nothing could be searched at all: the bot's own words say why.
        return _card("declined", texts.DECLINED_HEAD, render_markdown(answer.text)[0])
    missing = None
    if answer.missing:
        items = [element("li", element("strong", each)) for each in answer.missing]
        missing = element("div", element("h4", texts.MISSING), element("ul", *items, class_="tags"))
    return _card(
        "declined",
        texts.DECLINED_HEAD,
        element("p", texts.DECLINED),
        missing,
        _nearest(answer.nearest),
        element("p", texts.TRY_OTHER_WORDS.format(contact=contact), class_="next"),
    )


def render_unknown_terms(answer: Answer, exchange: int, contact: str) -> Safe:
    """Render terms that nobody knows, with the near spellings as buttons that ask again."""
    unknown = answer.unknown_terms
    head = texts.UNKNOWN_HEAD_ONE.format(terms=", ".join(reading.mention.text for reading in unknown))
    return _card(
        "unknown",
        head,
        element("p", texts.UNKNOWN if len(unknown) == 1 else texts.UNKNOWN_MANY),
        *[_suggestions(reading, exchange, place, only=len(unknown) == 1) for place, reading in enumerate(unknown)],
        element("p", texts.ASK_CONTACT.format(contact=_capitalised(contact)), class_="next"),
    )


def render_clarification(answer: Answer, exchange: int) -> Safe:
    """Render a question back: the meanings as buttons that ask again."""
    terms = {option.sense.term for option in answer.options}
    head = texts.CLARIFY_HEAD.format(term=terms.pop()) if len(terms) == 1 else texts.CLARIFY_HEAD_ANY
    buttons = [sense_button(option.sense, exchange, option=place) for place, option in enumerate(answer.options)]
    return _card("clarify", head, element("p", texts.CLARIFY), element("div", *buttons, class_="options"))


def _card(name: str, head: str, *parts: Safe | None) -> Safe:
    return element("div", element("h3", head), *parts, class_=f"card {name}", data_key="answer")


def _nearest(documents: Sequence[NearDocument]) -> Safe:
    if not documents:
        return element("p", texts.NO_NEAREST)
    items = [
        element(
            "li",
            element("span", document.document_title or document.document_name, class_="document"),
            element("span", texts.PAGE.format(page=document.page), class_="page"),
        )
        for document in documents
    ]
    return element("div", element("h4", texts.NEAREST), element("ul", *items, class_="nearest"))


def _suggestions(reading: Reading, exchange: int, place: int, *, only: bool) -> Safe | None:
    if not reading.suggestions:
        return None
    buttons = [
        element(
            "button",
            suggestion,
            type="button",
            class_="suggestion",
            data_action="suggestion",
            data_exchange=exchange,
            data_reading=place,
            data_option=index,
        )
        for index, suggestion in enumerate(reading.suggestions)
    ]
    lead = texts.DID_YOU_MEAN if only else texts.INSTEAD_OF.format(term=reading.mention.text)
    return element("div", element("span", lead), join(buttons), class_="suggestions")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
