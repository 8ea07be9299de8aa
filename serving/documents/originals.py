"""The original files of documents, if unchanged: sent in a way that cannot run scripts, or rendered as pictures.

Pictures show PDF pages and scanned images at screen size.
"""

import codecs
import hashlib
import io
import os
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi.responses import FileResponse

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Document

_LOOKED_AT_BYTES = 64 * 1024
# Types that a browser shows without running anything; everything else is downloaded. Never HTML, never SVG.
_SHOWN = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
_TEXTS = frozenset({"text/plain", "text/markdown", "text/csv", "text/tab-separated-values"})
_ALONE = "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
# Browsers' PDF viewers stay empty in a sandbox; they restrict PDFs with their own sandbox.
_VIEWED = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'; base-uri 'none'"
MIN_WIDTH_PX, MAX_WIDTH_PX = 40, 1_600
_DPI = 110
_MAX_SIDE_PX = 1_600
_MAX_PIXELS = 100_000_000
_QUALITY = 80
# Each picture takes 100 to 400 KB.
_KEPT = 100

_Signature = tuple[int, int, int, int]


class OriginalGone(NotFound):
    """The file of a document was moved or removed, has changed since it was read, or cannot be opened."""

    code = "file_gone"


def original_path(document: Document) -> Path:
    """Return the path of the file of ``document``, if it has not changed since it was read. Blocking.

    A file that has changed since it was read is refused: quoted text may be elsewhere in it, or missing.

    Raises:
        OriginalGone: it was moved, removed or changed, or cannot be opened.
    """
    path = Path(document.path)
    try:
        signature = _signature(path)
        same = document.size_bytes in (0, signature[1]) and _hash_of(path, signature) == document.content_hash
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OriginalGone(
            f"The file {document.name!r} is no longer where it was read from ({reason}): ingest it again."
        ) from error
    if not same:
        raise OriginalGone(f"The file {document.name!r} has changed since it was read: ingest it again.")
    return path


def original_response(document: Document, path: Path) -> FileResponse:
    """Return a response with the file at ``path``: inline if browsers do not run it, else as a download. Blocking."""
    kind, disposition = document.media_type, "inline"
    if kind in _TEXTS:
        kind = "text/plain; charset=utf-8" if _is_utf8(path) else "text/plain"
    elif kind not in _SHOWN:
        kind, disposition = "application/octet-stream", "attachment"
    headers = {
        "cache-control": "private, max-age=0, must-revalidate",
        "content-security-policy": _VIEWED if kind == "application/pdf" else _ALONE,
        "content-type": kind,
        "etag": f'"{document.content_hash}"',
        "vary": "Authorization, Cookie",
        "x-content-type-options": "nosniff",
    }
    return FileResponse(path, headers=headers, filename=document.name, content_disposition_type=disposition)


def _signature(path: Path) -> _Signature:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(None, "it is not a file")
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@lru_cache(maxsize=1_000)
def _hash_of(path: Path, signature: _Signature) -> str:
    """Return the hash of the file at ``path``; the file is read again if its ``signature`` changes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_utf8(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT_BYTES)
    try:
        # The last character of the part that was read may be incomplete.
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < _LOOKED_AT_BYTES)
    except UnicodeDecodeError:
        return False
    return True


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
    """Return the picture of a page, counted from 1, at most ``width_px`` wide; recent pictures are cached. Blocking.

    A file that was changed or moved after it was ingested has no pictures: highlights would be misplaced.

    Raises:
        NoPicture: its format has no pages to draw, or its file was changed, moved or cannot be drawn.
        NotFound: the document has no such page.
    """
    if not 1 <= page <= max(1, document.pages):
        pages = "1 page" if document.pages == 1 else f"{document.pages} pages"
        raise NotFound(f"{document.name!r} has {pages}: there is no page {page}.")
    if document.media_type != "application/pdf" and not document.media_type.startswith("image/"):
        raise NoPicture(
            f"{document.name!r} has no pictures of its pages: only PDFs and images have them. "
            "Its passages can be read instead."
        )
    try:
        picture = _render(original_path(document), document.content_hash, page, width_px)
        # The file may have changed while it was drawn.
        original_path(document)
    except OriginalGone as error:
        raise NoPicture(f"There is no picture of this page. {error}") from error
    except UnreadableFile as error:
        raise NoPicture(f"Page {page} of {document.name!r} cannot be drawn: {error.reason}.") from error
    return picture


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
