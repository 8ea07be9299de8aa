"""The original files of documents: found as long as they are what was read, and sent so that none runs in the page."""

import codecs
import hashlib
import os
import stat
from functools import lru_cache
from pathlib import Path

from fastapi.responses import FileResponse

from contracts.errors import NotFound
from contracts.text import Document

_LOOKED_AT_BYTES = 64 * 1024
# What a browser shows without running anything of it; everything else is for saving. Never HTML, never SVG.
_SHOWN = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
_TEXTS = frozenset({"text/plain", "text/markdown", "text/csv", "text/tab-separated-values"})
_ALONE = "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
# Browsers' own viewers of PDFs stay empty in a sandbox; they keep what a PDF may do in one of their own.
_VIEWED = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'; base-uri 'none'"

_Signature = tuple[int, int, int, int]


class OriginalGone(NotFound):
    """The file of a document is not where it was read, or cannot be opened."""

    code = "file_gone"


class OriginalChanged(NotFound):
    """The file of a document is another than the one that was read."""

    code = "file_changed"


def original_path(document: Document) -> Path:
    """Return where the file of ``document`` is, which is the one that was read. Blocking.

    A file that changed since it was read is refused: what the answers quote may stand elsewhere in it, or nowhere.

    Raises:
        OriginalGone: it was moved or removed, or cannot be opened.
        OriginalChanged: it was changed.
    """
    path = Path(document.path)
    try:
        signature = _signature(path)
        same = document.size_bytes in (0, signature[1]) and _hash_of(path, signature) == document.content_hash
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OriginalGone(
            f"The file {document.name!r} is not where it was read ({reason}): ingest it again."
        ) from error
    if not same:
        raise OriginalChanged(f"The file {document.name!r} was changed since it was read: ingest it again.")
    return path


def original_response(document: Document, path: Path) -> FileResponse:
    """Return the answer that sends the file at ``path``: shown where no browser runs it, else for saving. Blocking."""
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
        raise OSError(None, "it is no file")
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@lru_cache(maxsize=1_000)
def _hash_of(path: Path, signature: _Signature) -> str:
    """Return the hash of the file at ``path``; a file of another ``signature`` is read again."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_utf8(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT_BYTES)
    try:
        # The last character of what was looked at may be cut.
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < _LOOKED_AT_BYTES)
    except UnicodeDecodeError:
        return False
    return True
