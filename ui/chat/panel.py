"""The side panel: the cited page with the cited sentences highlighted on its picture, and the passage below."""

from collections.abc import Sequence
from urllib.parse import quote

from markupsafe import Markup

from contracts.answer import Citation
from contracts.documents import PageInfo
from ui.chat.conversation import Exchange
from ui.html import render
from ui.page_picture import link_to_file, render_sheet
from ui.passage import render_passage
from ui.words import Words

MAX_PAGES = 3


def cited_pages(shown: Citation) -> tuple[int, ...]:
    """Return the pages to show: those of a citation's boxes, else its own; at most ``MAX_PAGES``."""
    pages = sorted({box.page for box in shown.boxes}) or [shown.page]
    return tuple(pages[:MAX_PAGES])


def render_panel(
    exchange: Exchange,
    shown: Citation,
    sheets: Sequence[PageInfo],
    words: Words,
    *,
    prefix: str = "",
    revision: int = 0,
) -> Markup:
    """Render the panel with a quotation of ``exchange``; ``sheets`` are its pages, as far as the server has them.

    ``revision`` makes two renderings of the same panel differ.
    """
    found = exchange.answer.poor_pages if exchange.answer is not None else ()
    pages = cited_pages(shown)
    poor = [each for each in found if each.document_id == shown.document_id and each.page in pages]
    pictures = [render_sheet(each, shown.boxes, words, prefix=prefix) for each in sheets]
    # The dictionary is cited with its name as the id, which no document has.
    is_document = shown.document_id and shown.document_id != shown.document_name
    file = f"/api/documents/{quote(shown.document_id, safe='')}/file" if is_document else ""
    sheet = next(iter(sheets), PageInfo(page=shown.page, file=file))
    return render(
        "chat/panel.html",
        words=words,
        exchange=exchange,
        revision=revision,
        shown=shown,
        poor_reasons=tuple(dict.fromkeys(each.reason for each in poor)),
        pictures=[each for each in pictures if each is not None],
        passage=render_passage(shown.passage_text, shown.quote_spans),
        file_link=link_to_file(sheet, words, prefix=prefix),
    )
