"""The side panel: the cited passage, where it stands, and the picture of its page with the sentences marked."""

import base64
from collections.abc import Mapping, Sequence

from contracts.answer import Citation
from contracts.text import PageBox
from ui import texts
from ui.html import Safe, element
from ui.pages import PagePicture
from ui.passage import render_passage

MAX_PAGES = 3


def cited_pages(citation: Citation) -> tuple[int, ...]:
    """Return the pages to show for a citation: those of its boxes, else its own; at most ``MAX_PAGES``."""
    pages = sorted({box.page for box in citation.boxes}) or [citation.page]
    return tuple(pages[:MAX_PAGES])


def render_panel(
    citation: Citation, *, exchange: int, count: int, pictures: Mapping[int, PagePicture], opening: int
) -> Safe:
    """Render a citation for the side panel.

    ``count`` is how many citations its answer has, ``pictures`` the pictures of its pages, as far as there are any.
    ``opening`` tells one opening of the panel from the next.
    """
    title = citation.document_title or citation.document_name
    place = " › ".join(citation.heading_path)
    file = f"{citation.document_name} · " if citation.document_name != title else ""
    head = element(
        "div",
        element("h2", element("span", str(citation.number), class_="badge"), title, tabindex=-1),
        element("p", f"{file}{texts.PAGE.format(page=citation.page)}", class_="where"),
        element("p", place, class_="path") if place else None,
        class_="panel-head",
    )
    shown = [_picture(picture, page, citation.boxes) for page, picture in sorted(pictures.items())]
    passage = element("div", element("h3", texts.PASSAGE), render_passage(citation.passage_text, citation.quote_spans))
    return element(
        "div",
        _bar(citation, exchange, count),
        element("div", head, passage, *shown, class_="panel-body", tabindex=0),
        class_="passage",
        role="region",
        aria_label=texts.PANEL,
        data_opening=opening,
        data_citation=True,
        data_exchange=exchange,
        data_number=citation.number,
    )


def _bar(citation: Citation, exchange: int, count: int) -> Safe:
    number = citation.number
    return element(
        "div",
        _go("‹", texts.PREVIOUS, exchange, number - 1, count),
        element("span", texts.OF.format(number=number, count=count), class_="of"),
        _go("›", texts.NEXT, exchange, number + 1, count),
        element("button", "✕", type="button", class_="close", data_action="close", aria_label=texts.CLOSE),
        class_="panel-bar",
    )


def _go(sign: str, label: str, exchange: int, number: int, count: int) -> Safe:
    return element(
        "button",
        sign,
        type="button",
        class_="go",
        data_action="cite",
        data_exchange=exchange,
        data_number=number,
        aria_label=label,
        disabled=not 1 <= number <= count,
    )


def _picture(picture: PagePicture, page: int, boxes: Sequence[PageBox]) -> Safe:
    source = f"data:{picture.media_type};base64,{base64.b64encode(picture.content).decode('ascii')}"
    size = {"width": picture.width_px, "height": picture.height_px}
    image = element("img", src=source, alt=texts.PAGE_PICTURE.format(page=page), **size)
    marks = [_highlight(box, picture) for box in boxes if box.page == page]
    return element("div", element("h3", texts.PAGE.format(page=page).capitalize()),
                   element("div", image, *marks, class_="sheet"), class_="page-picture")  # fmt: skip


def _highlight(box: PageBox, picture: PagePicture) -> Safe | None:
    """Lay a mark over the picture, in per cent of the page so that it fits at any size."""
    if picture.width_pt <= 0 or picture.height_pt <= 0:
        return None
    left, right = (_percent(x, picture.width_pt) for x in (box.x0, box.x1))
    top, bottom = (_percent(y, picture.height_pt) for y in (box.top, box.bottom))
    place = f"left:{left:.2f}%;top:{top:.2f}%;width:{right - left:.2f}%;height:{bottom - top:.2f}%"
    return element("span", class_="highlight", style=place, aria_hidden="true") if right > left else None


def _percent(value: float, whole: float) -> float:
    return min(100.0, max(0.0, 100 * value / whole))
