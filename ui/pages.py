"""Pictures of pages: PDF pages and scanned images at a size for the screen."""

import hashlib
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Document

if TYPE_CHECKING:
    from PIL.Image import Image

_DPI = 110
_MAX_SIDE_PX = 1_600
_MAX_PIXELS = 100_000_000
_QUALITY = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A page's picture, its size in pixels, and the page's size in points, in which boxes are measured."""

    content: bytes
    media_type: str
    width_px: int
    height_px: int
    width_pt: float
    height_pt: float


class DocumentSource(Protocol):
    """Finds documents by id; ``library.store.LibraryStore`` is one."""

    def document(self, document_id: str) -> Document | None:
        """Return the document, or None."""
        ...


class PageImages:
    """Renders pages of the library's files. Blocking, thread-safe; the ``most`` pictures used last are kept.

    A file that was changed or moved since it was ingested gives no picture: its marks would point to the wrong place.
    """

    def __init__(self, documents: DocumentSource, *, most: int = 64) -> None:
        self._documents = documents
        self._most = most
        self._kept: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, document_id: str, page: int) -> PagePicture | None:
        """Return the picture of a page, counted from 1; None where there is none."""
        document = self._documents.document(document_id)
        if document is None or page < 1 or not _is_pictured(document):
            return None
        path = Path(document.path)
        key = (document.content_hash, page)
        with self._lock:
            if key not in self._kept:
                content = _unchanged_content(path, document)
                picture = _render(content, page) if content is not None else None
                if picture is None:
                    return None
                self._kept[key] = picture
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]


def _is_pictured(document: Document) -> bool:
    return document.media_type == "application/pdf" or document.media_type.startswith("image/")


def _unchanged_content(path: Path, document: Document) -> bytes | None:
    try:
        if document.size_bytes and path.stat().st_size != document.size_bytes:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest() == document.content_hash else None


def _render(content: bytes, page: int) -> PagePicture | None:
    from ingestion.pictures import render_page

    try:
        drawn = render_page(content, page, dpi=_DPI, most_side_px=_MAX_SIDE_PX, most_pixels=_MAX_PIXELS)
    except (NotFound, UnreadableFile):
        return None
    return _encode(drawn.image, drawn.width_pt, drawn.height_pt)


def _encode(image: "Image", width_pt: float, height_pt: float) -> PagePicture:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, format="JPEG", quality=_QUALITY, optimize=True)
    return PagePicture(
        content=buffer.getvalue(),
        media_type="image/jpeg",
        width_px=image.width,
        height_px=image.height,
        width_pt=float(width_pt),
        height_pt=float(height_pt),
    )
