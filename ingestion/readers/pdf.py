"""PDF: the text layer where there is one, OCR where there is none."""

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.pdf import PDF

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.bounds import time_limit
from ingestion.limits import IngestionLimits
from ingestion.readers.pdf_letters import QuickPage
from ingestion.readers.pdf_page import sketch_page
from ingestion.readers.scan import PatientOcr
from ingestion.readers.sketches import PageSketch, finish
from tools.ocr import OcrEngine

__all__ = ["PdfPages", "count_pages", "finish", "open_pages", "read", "read_sketches", "title"]


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the pages of a PDF; a page that cannot be read comes out empty, with a warning.

    Raises:
        UnreadableFile: the file is encrypted, broken, without pages, or has more of them than allowed.
    """
    yield from finish(list(read_sketches(path, limits, ocr)))


def count_pages(path: Path) -> int:
    """Return how many pages a PDF has.

    Raises:
        UnreadableFile: the file is encrypted, broken or without pages.
    """
    with _open(path) as pdf:
        return len(pdf.pages)


class PdfPages:
    """The pages of a PDF that stays open, to be read in any order; each by itself, to be finished together."""

    def __init__(self, path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        # pdfminer reports each oddity of a font to the log: noise for who ingests a folder.
        logging.getLogger("pdfminer").setLevel(logging.ERROR)
        self._path = path
        self._limits = limits
        self._ocr = PatientOcr(ocr) if ocr is not None else None
        self._pdf = _open(path)
        self.count = len(self._pdf.pages)
        if self.count > limits.pages:
            self.close()
            reason = f"it has {self.count} pages, more than the {limits.pages} allowed; split it"
            raise UnreadableFile(str(path), reason)

    def read(self, first: int, last: int | None = None) -> Iterator[PageSketch]:
        """Read the pages ``first`` to ``last`` (from 1, both included; None: to the end)."""
        for page in self._pdf.pages[first - 1 : last]:
            yield sketch_page(self._path, QuickPage.like(page), self._limits, self._ocr)

    def close(self) -> None:
        """Close the file."""
        self._pdf.close()


def open_pages(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> PdfPages:
    """Open a PDF, to read its pages one by one or in ranges.

    Raises:
        UnreadableFile: the file is encrypted, broken, without pages, or has more of them than allowed.
    """
    return PdfPages(path, limits, ocr)


def read_sketches(
    path: Path, limits: IngestionLimits, ocr: OcrEngine | None, *, first: int = 1, last: int | None = None
) -> Iterator[PageSketch]:
    """Read the pages ``first`` to ``last`` (from 1, both included; None: to the end) of a PDF, each by itself.

    Ranges of a document may be read by several processes; ``finish`` makes pages of all of them together.

    Raises:
        UnreadableFile: as for ``open_pages``.
    """
    with closing(open_pages(path, limits, ocr)) as pages:
        yield from pages.read(first, last)


def title(path: Path) -> str:
    """Return the title in the file's metadata, or ""."""
    with _open(path) as pdf:
        found = (pdf.metadata or {}).get("Title", "")
    return found.strip() if isinstance(found, str) else ""


def _open(path: Path, most_s: float = IngestionLimits().page_s) -> PDF:
    try:
        with time_limit(most_s):
            pdf = pdfplumber.open(path)
            pages = len(pdf.pages)
    except TimeoutError as error:
        raise UnreadableFile(str(path), f"its list of pages {error} to read: it is damaged, or made to hang") from error
    except Exception as error:
        cause = error.args[0] if error.args else error
        if isinstance(cause, PDFPasswordIncorrect) or isinstance(error, PDFPasswordIncorrect):
            raise UnreadableFile(str(path), "it is encrypted; save it without a password") from error
        if isinstance(cause, PDFEncryptionError) or isinstance(error, PDFEncryptionError):
            raise UnreadableFile(str(path), "its encryption is not supported; save it without one") from error
        if isinstance(cause, RecursionError) or "recursion" in str(error):
            raise UnreadableFile(
                str(path), "it is not a readable PDF: its parts refer to one another without end"
            ) from error
        raise UnreadableFile(str(path), f"it is not a readable PDF: it is damaged or cut off ({error})") from error
    if pages == 0:
        pdf.close()
        raise UnreadableFile(str(path), "it has no pages that can be read: the file is damaged or cut off")
    return pdf
