"""The side panel: the cited page with the cited sentences highlighted on its picture, and the passage below."""

from collections.abc import Sequence

from markupsafe import Markup

from contracts.answer import Citation
from contracts.documents import PageInfo
from contracts.text import PageBox
from serving.documents.service import address_of
from ui.chat.conversation import Exchange
from ui.pages import Visit
from ui.passage import render_passage

MAX_PAGES = 3


def cited_pages(shown: Citation) -> tuple[int, ...]:
    """Return the pages to show: the pages of a citation's boxes, or else its own page; at most ``MAX_PAGES``."""
    pages = sorted({box.page for box in shown.boxes}) or [shown.page]
    return tuple(pages[:MAX_PAGES])


def render_panel(
    visit: Visit, exchange: Exchange, shown: Citation, sheets: Sequence[PageInfo], *, revision: int = 0
) -> Markup:
    """Render the panel with a quotation of ``exchange``; ``sheets`` are those of its pages that have pictures.

    ``revision`` makes two renderings of the same panel differ.
    """
    found = exchange.answer.poor_pages if exchange.answer is not None else ()
    pages = cited_pages(shown)
    poor = [each for each in found if each.document_id == shown.document_id and each.page in pages]
    # The dictionary is cited with its name as the id, which no document has.
    is_document = shown.document_id and shown.document_id != shown.document_name
    return visit.render(
        "chat/panel.html",
        exchange=exchange,
        revision=revision,
        shown=shown,
        poor_reasons=tuple(dict.fromkeys(each.reason for each in poor)),
        pictures=[(sheet, _places(shown.boxes, sheet)) for sheet in sheets],
        passage=render_passage(shown.passage_text, shown.quote_spans),
        file=f"{address_of(shown.document_id)}/file#page={pages[0]}" if is_document else "",
    )


def _places(boxes: Sequence[PageBox], sheet: PageInfo) -> list[str]:
    """Return the positions of highlights on a page's picture, in per cent so that they fit at any size."""
    places = []
    for box in boxes:
        left, right = (_percent(x, sheet.width_pt) for x in (box.x0, box.x1))
        top, bottom = (_percent(y, sheet.height_pt) for y in (box.top, box.bottom))
        if box.page == sheet.page and right > left:
            places.append(f"left:{left:.2f}%;top:{top:.2f}%;width:{right - left:.2f}%;height:{bottom - top:.2f}%")
    return places


def _percent(value: float, whole: float) -> float:
    return min(100.0, max(0.0, 100 * value / whole))
