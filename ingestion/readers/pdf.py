"""PDF: the text layer where there is one, OCR where there is none."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.pdf import PDF

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers.pdf_page import sketch_page
from ingestion.readers.scan import PatientOcr
from ingestion.readers.sketches import PageSketch, finish
from tools.ocr import OcrEngine

__all__ = ["count_pages", "finish", "read", "read_sketches", "title"]


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


def read_sketches(
    path: Path, limits: IngestionLimits, ocr: OcrEngine | None, *, first: int = 1, last: int | None = None
) -> Iterator[PageSketch]:
    """Read the pages ``first`` to ``last`` (from 1, both included; None: to the end) of a PDF, each by itself.

    Ranges of a document may be read by several processes; ``finish`` makes pages of all of them together.

    Raises:
        UnreadableFile: the file is encrypted, broken, without pages, or has more of them than allowed.
    """
    # pdfminer reports each oddity of a font to the log: noise for who ingests a folder.
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    patient = PatientOcr(ocr) if ocr is not None else None
    with _open(path) as pdf:
        count = len(pdf.pages)
        if count > limits.pages:
            raise UnreadableFile(str(path), f"it has {count} pages, more than the {limits.pages} allowed; split it")
        for page in pdf.pages[first - 1 : last]:
            yield sketch_page(path, page, limits, patient)


def title(path: Path) -> str:
    """Return the title in the file's metadata, or ""."""
    with _open(path) as pdf:
        found = (pdf.metadata or {}).get("Title", "")
    return found.strip() if isinstance(found, str) else ""


def _open(path: Path) -> PDF:
    try:
        pdf = pdfplumber.open(path)
        pages = len(pdf.pages)
    except Exception as error:
        cause = error.args[0] if error.args else error
        if isinstance(cause, PDFPasswordIncorrect) or isinstance(error, PDFPasswordIncorrect):
            raise UnreadableFile(str(path), "it is encrypted; save it without a password") from error
        if isinstance(cause, PDFEncryptionError) or isinstance(error, PDFEncryptionError):
            raise UnreadableFile(str(path), "its encryption is not supported; save it without one") from error
        raise UnreadableFile(str(path), f"it is not a readable PDF ({type(error).__name__}: {error})") from error
    if pages == 0:
        pdf.close()
        raise UnreadableFile(str(path), "it has no pages that can be read: the file is damaged or cut off")
    return pdf
