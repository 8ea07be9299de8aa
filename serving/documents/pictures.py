"""Pictures of pages: PDF pages and scanned images at a size for the screen."""

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Document
from serving.documents.originals import OriginalChanged, OriginalGone, original_path

MIN_WIDTH_PX, MAX_WIDTH_PX = 40, 1_600
_DPI = 110
_MAX_SIDE_PX = 1_600
_MAX_PIXELS = 100_000_000
_QUALITY = 80
# Each has 100 to 400 KB.
_KEPT = 100


class NoPicture(NotFound):
    """The page exists, but there is no picture of it."""

    code = "no_picture"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A page's picture as JPEG, its size in pixels, and the page's size in points, in which boxes are measured."""

    content: bytes
    width_px: int
    height_px: int
    width_pt: float
    height_pt: float


def draw_page(document: Document, page: int, width_px: int | None = None) -> PagePicture:
    """Return the picture of a page, counted from 1, at most ``width_px`` wide; recently used ones are cached. Blocking.

    A file that was changed or moved since it was ingested gives no picture: highlights would be in the wrong place.

    Raises:
        NoPicture: its format has no pages to draw, or its file was changed, moved or cannot be drawn.
        NotFound: the document has no such page.
    """
    expect_page(document, page)
    if document.media_type != "application/pdf" and not document.media_type.startswith("image/"):
        raise NoPicture(
            f"{document.name!r} has no pictures of its pages: only PDFs and images have them. "
            "Its passages can be read instead."
        )
    try:
        picture = _render(original_path(document), document.content_hash, page, width_px)
        # The file may have changed while it was drawn.
        original_path(document)
    except (OriginalGone, OriginalChanged) as error:
        raise NoPicture(f"There is no picture of this page. {error}") from error
    except UnreadableFile as error:
        raise NoPicture(f"Page {page} of {document.name!r} cannot be drawn: {error.reason}.") from error
    return picture


def expect_page(document: Document, page: int) -> None:
    """Check that ``document`` has the page, counted from 1.

    Raises:
        NotFound: it has not.
    """
    if not 1 <= page <= max(1, document.pages):
        pages = "1 page" if document.pages == 1 else f"{document.pages} pages"
        raise NotFound(f"{document.name!r} has {pages}: there is no page {page}.")


@lru_cache(maxsize=_KEPT)
def _render(path: Path, content_hash: str, page: int, width_px: int | None) -> PagePicture:
    """Draw a page; ``content_hash`` distinguishes the versions of a file."""
    from ingestion.pictures import render_page

    drawn = render_page(
        path, page, dpi=_DPI, most_side_px=_MAX_SIDE_PX, most_width_px=width_px, most_pixels=_MAX_PIXELS
    )
    buffer = io.BytesIO()
    drawn.image.convert("RGB").save(buffer, format="JPEG", quality=_QUALITY, optimize=True)
    return PagePicture(
        content=buffer.getvalue(),
        width_px=drawn.image.width,
        height_px=drawn.image.height,
        width_pt=float(drawn.width_pt),
        height_pt=float(drawn.height_pt),
    )
