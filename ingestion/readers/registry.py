"""Chooses the reader of a file by its suffix, confirmed by its first bytes."""

import importlib
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_size
from tools.ocr import OcrEngine

if TYPE_CHECKING:
    from ingestion.readers.raw_pages import OpenPages

_OFFICE = "application/vnd.openxmlformats-officedocument."
_FORMATS: dict[str, tuple[str, str]] = {
    ".pdf": ("pdf", "application/pdf"),
    ".png": ("image", "image/png"),
    ".jpg": ("image", "image/jpeg"),
    ".jpeg": ("image", "image/jpeg"),
    ".tif": ("image", "image/tiff"),
    ".tiff": ("image", "image/tiff"),
    ".docx": ("docx", f"{_OFFICE}wordprocessingml.document"),
    ".pptx": ("pptx", f"{_OFFICE}presentationml.presentation"),
    ".xlsx": ("xlsx", f"{_OFFICE}spreadsheetml.sheet"),
    ".html": ("html", "text/html"),
    ".htm": ("html", "text/html"),
    ".xhtml": ("html", "application/xhtml+xml"),
    ".md": ("markdown", "text/markdown"),
    ".markdown": ("markdown", "text/markdown"),
    ".csv": ("text", "text/csv"),
    ".tsv": ("text", "text/tab-separated-values"),
    ".txt": ("text", "text/plain"),
    ".text": ("text", "text/plain"),
    ".rst": ("rst", "text/x-rst"),
    ".log": ("text", "text/plain"),
    ".epub": ("epub", "application/epub+zip"),
    ".eml": ("eml", "message/rfc822"),
}
SUPPORTED_SUFFIXES = tuple(sorted(_FORMATS))

# Directives and underlined headings: many projects name their reStructuredText files "*.txt".
_RST_DIRECTIVE = re.compile(rb"^\.\. [a-z][\w:-]*::", re.MULTILINE)
_UNDERLINE = re.compile(rb"^([=~^-])\1{2,}\s*$", re.MULTILINE)
_HEAD_BYTES = 65_536

# Formats whose pages are read one by one, and finished together: see open_pages.
_IN_RANGES = ("pdf", "image")
# Formats whose files are parsed as one tree.
_TREES = ("html", "markdown", "rst", "eml")

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAGIC: dict[str, tuple[bytes, ...]] = {
    "docx": (_ZIP, _OLE),
    "pptx": (_ZIP, _OLE),
    "xlsx": (_ZIP, _OLE),
    "epub": (_ZIP,),
    "image": (b"\x89PNG", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
}


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the files of one format; ``module`` is imported for the first such file."""

    module: str
    media_type: str

    def read(self, path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
        """Read the pages of ``path``.

        Raises:
            UnreadableFile: the whole file cannot be read; a single bad page becomes an empty one with a warning.
        """
        opened = self.open_pages(path, limits, ocr)
        if opened is None:
            check_size(path, limits, is_tree=self.module in _TREES)
            yield from self._loaded().read(path, limits, ocr)
            return
        from ingestion.readers.raw_pages import finish

        with closing(opened):
            raw_pages = list(opened.read(1))
        yield from finish(raw_pages)

    def open_pages(self, path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> "OpenPages | None":
        """Open ``path`` to read its pages in ranges; None if the format is read as a whole.

        Raises:
            UnreadableFile: the whole file cannot be read, or has more pages than allowed.
        """
        if self.module not in _IN_RANGES:
            return None
        check_size(path, limits, is_tree=False)
        pages: OpenPages = self._loaded().open_pages(path, limits, ocr)
        if pages.count > limits.pages:
            pages.close()
            reason = f"it has {pages.count} pages, more than the {limits.pages} allowed; split it"
            raise UnreadableFile(str(path), reason)
        return pages

    def title(self, path: Path) -> str:
        """Return the title that the file itself specifies, or ""."""
        module = self._loaded()
        try:
            found = module.title(path) if hasattr(module, "title") else ""
        except Exception:
            # The title is optional: the pages were read even if the metadata is damaged.
            found = ""
        return " ".join(found.split())

    def _loaded(self) -> Any:
        """Return the format's module: it has ``read`` or ``open_pages``, and ``title`` if its files have one."""
        return importlib.import_module(f"{__package__}.{self.module}")


def reads_in_ranges(path: Path) -> bool:
    """Return whether the suffix of ``path`` belongs to a format whose pages are read in ranges."""
    return _FORMATS.get(path.suffix.lower(), ("", ""))[0] in _IN_RANGES


def reader_for(path: Path) -> Reader:
    """Return the reader for ``path``.

    Raises:
        UnreadableFile: the suffix is not supported, or the first bytes belong to another format.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        kind = f"files of kind {suffix!r}" if suffix else "files without a suffix"
        raise UnreadableFile(str(path), f"{kind} cannot be read; supported: {', '.join(SUPPORTED_SUFFIXES)}")
    head = _first_bytes(path)
    if suffix in (".txt", ".text") and _RST_DIRECTIVE.search(head) and _UNDERLINE.search(head):
        suffix = ".rst"
    module, media_type = _FORMATS[suffix]
    expected = _MAGIC.get(module)
    if head and expected and not head.startswith(expected):
        raise UnreadableFile(str(path), f"its content does not match its suffix {suffix}; save it again as {suffix}")
    # Writers may put a few bytes before the header; the format allows up to 1,024.
    if head and module == "pdf" and b"%PDF-" not in head[:1_100]:
        raise UnreadableFile(str(path), "its content does not match its suffix .pdf: it has no PDF header")
    return Reader(module, media_type)


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError as error:
        raise UnreadableFile(str(path), f"it cannot be opened ({error.strerror or error})") from error
