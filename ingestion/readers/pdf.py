"""PDF: the text layer where there is one, OCR where there is none."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.pdf import PDF

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.layout.blocks import build_blocks, learn_style
from ingestion.layout.continued import join_continued_tables
from ingestion.layout.furniture import drop_furniture
from ingestion.limits import IngestionLimits
from ingestion.readers.pdf_page import PageSketch, sketch_page
from ingestion.readers.scan import PatientOcr
from tools.ocr import OcrEngine


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


def finish(sketches: Sequence[PageSketch]) -> Iterator[Page]:
    """Make pages of the sketches of all pages of a document, in their order; the sketches are used up."""
    drop_furniture([sketch.laid for sketch in sketches])
    join_continued_tables([sketch.laid.items for sketch in sketches])
    # Sizes on scans are estimates: headings there are held against the scanned text, by coarser measures.
    typed = learn_style(
        (item for each in sketches if each.confidence is None for item in each.laid.items), scanned=False
    )
    scanned = learn_style(
        (item for each in sketches if each.confidence is not None for item in each.laid.items), scanned=True
    )
    for sketch in sketches:
        style = typed if sketch.confidence is None else scanned
        yield Page(
            number=sketch.number,
            blocks=tuple(build_blocks(sketch.laid.items, sketch.number, style)),
            width_pt=sketch.width_pt,
            height_pt=sketch.height_pt,
            ocr_confidence=sketch.confidence,
            ocr_reason=sketch.ocr_reason,
            warnings=tuple(sketch.warnings),
        )
