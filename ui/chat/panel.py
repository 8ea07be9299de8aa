"""The side panel: the page that is cited with the cited sentences marked on its picture, and the passage below."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from contracts.answer import Citation, NearDocument, PoorlyReadPage
from contracts.documents import PageSheet
from ui.html import Safe, button, element
from ui.page_picture import link_to_file, render_sheet
from ui.passage import render_passage
from ui.words import Words

MAX_PAGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What stands in the panel: a citation of an exchange, of how many there are, or a document that comes near.

    ``sheets`` are its pages, as far as the server has them; ``poor`` are pages that were poorly read.
    """

    exchange: int
    count: int
    shown: Citation | NearDocument
    sheets: Sequence[PageSheet] = ()
    poor: Sequence[PoorlyReadPage] = ()

    @property
    def citation(self) -> Citation | None:
        """The citation, None for a document that comes near."""
        return self.shown if isinstance(self.shown, Citation) else None


def cited_pages(shown: Citation | NearDocument) -> tuple[int, ...]:
    """Return the pages to show: those of a citation's boxes, else its own; at most ``MAX_PAGES``."""
    boxes = shown.boxes if isinstance(shown, Citation) else ()
    pages = sorted({box.page for box in boxes}) or [shown.page]
    return tuple(pages[:MAX_PAGES])


def render_panel(opened: Opened, words: Words, *, prefix: str = "", opening: int = 0) -> Safe:
    """Render the panel; ``opening`` tells one opening of it from the next."""
    citation = opened.citation
    boxes = citation.boxes if citation is not None else ()
    pictures = [render_sheet(sheet, boxes, words, prefix=prefix) for sheet in opened.sheets]
    seen = [each for each in pictures if each is not None] or [
        element("p", words("chat.panel.no_picture"), class_="quiet")
    ]
    passage = None
    if citation is not None and citation.passage_text:
        head = element("h3", words("chat.panel.passage"))
        passage = element("div", head, render_passage(citation.passage_text, citation.quote_spans))
    body = element("div", _head(opened, words, prefix), *_poor(opened, words), *seen, passage, class_="panel-body",
                   tabindex=0)  # fmt: skip
    return element(
        "div",
        _bar(opened, words),
        body,
        class_="passage",
        role="region",
        aria_label=words("chat.panel.label"),
        data_opening=opening,
        data_citation=True,
        data_exchange=opened.exchange,
        data_number=citation.number if citation is not None else None,
    )


def _head(opened: Opened, words: Words, prefix: str) -> Safe:
    shown, citation = opened.shown, opened.citation
    badge = element("span", str(citation.number), class_="badge") if citation is not None else None
    place = " › ".join(citation.heading_path) if citation is not None else ""
    file = f"{shown.document_name} · " if shown.document_name != shown.shown_name else ""
    sheet = next(iter(opened.sheets), PageSheet(page=shown.page, file=_file_of(shown)))
    return element(
        "div",
        element("h2", badge, shown.shown_name, tabindex=-1),
        element("p", f"{file}{words('chat.page', page=shown.page)}", class_="where"),
        element("p", place, class_="path") if place else None,
        element("p", link_to_file(sheet, words, prefix=prefix)),
        class_="panel-head",
    )


def _file_of(shown: Citation | NearDocument) -> str:
    # The dictionary itself is cited under a name that is no document's.
    known = shown.document_id and shown.document_id != shown.document_name
    return f"/api/documents/{quote(shown.document_id, safe='')}/file" if known else ""


def _poor(opened: Opened, words: Words) -> list[Safe]:
    pages = set(cited_pages(opened.shown))
    reasons = dict.fromkeys(
        each.reason for each in opened.poor if each.document_id == opened.shown.document_id and each.page in pages
    )
    return [element("p", words("chat.poor", reason=reason), class_="remark") for reason in reasons]


def _bar(opened: Opened, words: Words) -> Safe:
    citation, close = opened.citation, words("chat.panel.close")
    shut = button("close", "✕", class_="close", aria_label=close)
    if citation is None:
        return element("div", element("span", words("chat.panel.near"), class_="of"), shut, class_="panel-bar")
    number, count = citation.number, opened.count
    return element(
        "div",
        _go("‹", words("chat.panel.previous"), opened.exchange, number - 1, count),
        element("span", words("chat.panel.of", number=number, count=count), class_="of"),
        _go("›", words("chat.panel.next"), opened.exchange, number + 1, count),
        shut,
        class_="panel-bar",
    )


def _go(sign: str, label: str, exchange: int, number: int, count: int) -> Safe:
    return button(
        "cite",
        sign,
        class_="go",
        data_exchange=exchange,
        data_number=number,
        aria_label=label,
        disabled=not 1 <= number <= count,
    )
