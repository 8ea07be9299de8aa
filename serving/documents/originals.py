"""The original files of documents: found if they are unchanged, and sent so that none can run scripts in the page."""

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
# Types that a browser shows without running anything; everything else is downloaded. Never HTML, never SVG.
_SHOWN = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
_TEXTS = frozenset({"text/plain", "text/markdown", "text/csv", "text/tab-separated-values"})
_ALONE = "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
# Browsers' PDF viewers stay empty in a sandbox; they restrict PDFs with a sandbox of their own.
_VIEWED = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'; base-uri 'none'"

_Signature = tuple[int, int, int, int]


class OriginalGone(NotFound):
    """The file of a document is no longer where it was read from, or cannot be opened."""

    code = "file_gone"


class OriginalChanged(NotFound):
    """The file of a document differs from the one that was read."""

    code = "file_changed"


def original_path(document: Document) -> Path:
    """Return where the file of ``document`` is, if it is the one that was read. Blocking.

    A file that has changed since it was read is refused: quoted text may be elsewhere in it, or missing.

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
            f"The file {document.name!r} is no longer where it was read from ({reason}): ingest it again."
        ) from error
    if not same:
        raise OriginalChanged(f"The file {document.name!r} was changed since it was read: ingest it again.")
    return path


def original_response(document: Document, path: Path) -> FileResponse:
    """Return the response with the file at ``path``: shown inline if no browser runs it, else downloaded. Blocking."""
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
    """Return the hash of the file at ``path``; a file with another ``signature`` is read again."""
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
