"""Pictures of pages: PDF pages and scanned images at a size for the screen."""

import io
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Document
from serving.documents.originals import OriginalChanged, OriginalGone, original_path

MIN_WIDTH_PX, MAX_WIDTH_PX = 40, 1_600
_DPI = 110
_MAX_SIDE_PX = 1_600
_MAX_PIXELS = 100_000_000
_QUALITY = 80
_KEPT_BYTES = 48 * 1024 * 1024

_Key = tuple[str, int, int | None]


class NoPicture(NotFound):
    """There is such a page, and no picture of it."""

    code = "no_picture"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A page's picture as JPEG, its size in pixels, and the page's size in points, in which boxes are measured."""

    content: bytes
    width_px: int
    height_px: int
    width_pt: float
    height_pt: float


class PageImages:
    """Renders pages of documents' files. Blocking, thread-safe; of the pictures used last ``most_bytes`` are kept.

    A file that was changed or moved since it was ingested gives no picture: its marks would point to the wrong place.
    """

    def __init__(self, *, most_bytes: int = _KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[_Key, PagePicture] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, document: Document, page: int, width_px: int | None = None) -> PagePicture | None:
        """Return the picture if it is kept; it does not block."""
        key = (document.content_hash, page, width_px)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def draw(self, document: Document, page: int, width_px: int | None = None) -> PagePicture:
        """Return the picture of a page, counted from 1, at most ``width_px`` wide.

        Raises:
            NoPicture: its format has no pages to draw, or its file was changed, moved or cannot be drawn.
            NotFound: the document has no such page.
        """
        expect_page(document, page)
        if picture := self.kept(document, page, width_px):
            return picture
        if document.media_type != "application/pdf" and not document.media_type.startswith("image/"):
            raise NoPicture(
                f"{document.name!r} has no pictures of its pages: only PDFs and images have. "
                "Its passages are there to read."
            )
        try:
            picture = _render(original_path(document), page, width_px)
            # It may have been changed while it was drawn.
            original_path(document)
        except (OriginalGone, OriginalChanged) as error:
            raise NoPicture(f"There is no picture of this page. {error}") from error
        except UnreadableFile as error:
            raise NoPicture(f"Page {page} of {document.name!r} cannot be drawn: {error.reason}.") from error
        self._keep((document.content_hash, page, width_px), picture)
        return picture

    def _keep(self, key: _Key, picture: PagePicture) -> None:
        with self._lock:
            former = self._kept.pop(key, None)
            self._kept[key] = picture
            self._bytes += len(picture.content) - (len(former.content) if former else 0)
            while self._bytes > self._most_bytes and self._kept:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= len(gone.content)


def expect_page(document: Document, page: int) -> None:
    """See that ``document`` has the page, counted from 1.

    Raises:
        NotFound: it has not.
    """
    if not 1 <= page <= max(1, document.pages):
        pages = "1 page" if document.pages == 1 else f"{document.pages} pages"
        raise NotFound(f"{document.name!r} has {pages}: there is no page {page}.")


def _render(path: Path, page: int, width_px: int | None) -> PagePicture:
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
