"""A page's picture with highlights: what a citation is based on, where a term is defined, what was read poorly."""

from collections.abc import Sequence

from markupsafe import Markup

from contracts.documents import PageInfo
from contracts.text import PageBox
from ui.html import is_own_path, render
from ui.words import Words


def render_sheet(sheet: PageInfo, marks: Sequence[PageBox], words: Words, *, prefix: str = "") -> Markup | None:
    """Render a page's picture with ``marks`` over it; those of other pages are left out. None if it has no picture.

    ``prefix`` is that of ``Visit``. Space is reserved for the picture until it is loaded, so that nothing moves.
    """
    source = f"{prefix}{sheet.picture}"
    if not sheet.picture or not is_own_path(source) or min(sheet.width_px, sheet.height_px) < 1:
        return None
    places = [place for each in marks if each.page == sheet.page and (place := _place(each, sheet))]
    return render("page_picture.html", sheet=sheet, source=source, places=places, words=words)


def link_to_file(sheet: PageInfo, words: Words, *, prefix: str = "") -> Markup | None:
    """Render the link that opens the document itself at the page; None if its file is not available."""
    path = f"{prefix}{sheet.file}"
    if not sheet.file or not is_own_path(path):
        return None
    address = path if "#" in path else f"{path}#page={sheet.page}"
    opens = Markup('<a href="{}" target="_blank" rel="noopener" class="open-document">{}</a>')
    return opens.format(address, words("picture.open"))


def _place(box: PageBox, sheet: PageInfo) -> str:
    """Return the position of a mark over the picture, in per cent so that it fits at any size; "" if it has none."""
    if sheet.width_pt <= 0 or sheet.height_pt <= 0:
        return ""
    left, right = (_percent(x, sheet.width_pt) for x in (box.x0, box.x1))
    top, bottom = (_percent(y, sheet.height_pt) for y in (box.top, box.bottom))
    place = f"left:{left:.2f}%;top:{top:.2f}%;width:{right - left:.2f}%;height:{bottom - top:.2f}%"
    return place if right > left else ""


def _percent(value: float, whole: float) -> float:
    return min(100.0, max(0.0, 100 * value / whole))
