"""How many pages a file has, where its format tells without being read."""

import re
import zipfile
from pathlib import Path

# A listing longer than that is no office document.
_MAX_ENTRIES = 100_000
_PARTS = {
    ".pptx": re.compile(r"ppt/slides/slide\d+\.xml"),
    ".xlsx": re.compile(r"xl/worksheets/sheet\d+\.xml"),
}


def is_counted(path: Path) -> bool:
    """Say whether ``count_pages`` knows the format of a file."""
    suffix = path.suffix.lower()
    return suffix == ".pdf" or suffix in _PARTS


def count_pages(path: Path) -> int | None:
    """Count the pages, slides or sheets of a file; None where that is not cheap or not possible.

    Call it where the file may also be read: a parser may crash on it.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".pdf":
            return _count_pdf(path)
        if suffix in _PARTS:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
            if len(names) <= _MAX_ENTRIES:
                return sum(bool(_PARTS[suffix].fullmatch(name)) for name in names) or None
    except Exception:
        # What is wrong with it is said when it is read.
        return None
    return None


def _count_pdf(path: Path) -> int | None:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        return len(document) or None
    finally:
        document.close()
