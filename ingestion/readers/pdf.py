"""PDF: the text layer where there is one, OCR where there is none."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pdfplumber
import pypdfium2
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.page import Page as PlumberPage
from pdfplumber.pdf import PDF

from contracts.errors import Unavailable, UnreadableFile
from contracts.text import Page
from ingestion.layout.blocks import build_blocks, learn_style
from ingestion.layout.continued import join_continued_tables
from ingestion.layout.furniture import PageItems, drop_furniture
from ingestion.layout.page import lay_out
from ingestion.layout.words import make_line
from ingestion.limits import IngestionLimits
from ingestion.readers.pdf_text import read_text_layer, wants_ocr
from ingestion.readers.scan import ScannedPage, read_scan
from tools.ocr import OcrEngine

_UNCLEAR = 0.75
_SECOND_TRY_DPI = 300


@dataclass(slots=True)
class _Sketch:
    """A page as read, before the whole document tells what its headings and running headers look like."""

    number: int
    width_pt: float
    height_pt: float
    laid: PageItems
    confidence: float | None = None
    warnings: list[str] = field(default_factory=list)


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the pages of a PDF; a page that cannot be read comes out empty, with a warning.

    Raises:
        UnreadableFile: the file is encrypted, broken, without pages, or has more of them than allowed.
    """
    # pdfminer reports each oddity of a font to the log: noise for who ingests a folder.
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    with _open(path) as pdf:
        count = len(pdf.pages)
        if count > limits.pages:
            raise UnreadableFile(str(path), f"it has {count} pages, more than the {limits.pages} allowed; split it")
        sketches = [_sketch(path, page, limits, ocr) for page in pdf.pages]
    yield from _write(sketches)


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


def _sketch(path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine | None) -> _Sketch:
    sketch = _Sketch(page.page_number, 0.0, 0.0, PageItems([], 0.0))
    try:
        sketch.width_pt, sketch.height_pt = float(page.width), float(page.height)
        if len(page.chars) > limits.page_characters:
            sketch.warnings.append(f"page {page.page_number} has {len(page.chars)} characters and was left out")
        elif wants_ocr(page):
            _sketch_scan(sketch, path, page, limits, ocr)
        else:
            _sketch_text(sketch, page)
    except Exception as error:
        # A page's content can be broken in more ways than the libraries name: the other pages must not suffer.
        sketch.warnings.append(f"page {page.page_number} could not be read ({type(error).__name__}: {error})")
    finally:
        page.close()
    return sketch


def _sketch_text(sketch: _Sketch, page: PlumberPage) -> None:
    layer = read_text_layer(page)
    items = lay_out(list(layer.words), list(layer.tables))
    items += [make_line([word], (word.x0, word.x1)) for word in layer.sideways]
    sketch.laid = PageItems(items, layer.height_pt)


def _sketch_scan(
    sketch: _Sketch, path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine | None
) -> None:
    if ocr is None:
        sketch.warnings.append(f"page {page.page_number} is a picture and there is no OCR engine to read it")
    else:
        try:
            scan = _read_picture(path, page, limits, ocr)
        except Unavailable as error:
            sketch.warnings.append(f"page {page.page_number} is a picture and could not be read: {error}")
        else:
            sketch.confidence = scan.confidence
            layer = [str(char["text"]) for char in page.chars if str(char["text"]).isalnum()]
            if sum(len(word.text) for word in scan.words) >= len(layer):
                sketch.laid = PageItems(lay_out(list(scan.words), []), scan.height_pt)
                return
    _sketch_text(sketch, page)


def _read_picture(path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine) -> ScannedPage:
    scan = _read_at(path, page, limits.scan_dpi, limits, ocr)
    if scan.words and scan.confidence < _UNCLEAR and limits.scan_dpi < _SECOND_TRY_DPI:
        again = _read_at(path, page, _SECOND_TRY_DPI, limits, ocr)
        return max(scan, again, key=lambda each: each.confidence * len(each.words))
    return scan


def _read_at(path: Path, page: PlumberPage, dpi: float, limits: IngestionLimits, ocr: OcrEngine) -> ScannedPage:
    with pypdfium2.PdfDocument(path) as pdf:
        sheet = pdf[page.page_number - 1]
        width, height = sheet.get_size()
        scale = min(dpi / 72, (limits.image_pixels / max(width * height, 1.0)) ** 0.5)
        image = sheet.render(scale=scale, grayscale=True).to_pil()
        sheet.close()
    return read_scan(image, 1 / scale, ocr)


def _write(sketches: list[_Sketch]) -> Iterator[Page]:
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
            warnings=tuple(sketch.warnings),
        )
