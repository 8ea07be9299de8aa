"""PDF: pages with a text layer, and pages, or parts of them, that only OCR can read from their pictures."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.page import Page as PlumberPage
from pdfplumber.pdf import PDF

from contracts.errors import Unavailable, UnreadableFile
from ingestion.layout.lines import make_line
from ingestion.layout.page import lay_out
from ingestion.layout.words import LayoutWord, is_inside
from ingestion.limits import IngestionLimits, time_limit
from ingestion.pictures import render_page
from ingestion.readers.pdf_quality import MOSTLY_A_PICTURE, known_letters, native_dpi, why_doubtful, why_unreadable
from ingestion.readers.pdf_text import TextLayer, read_text_layer
from ingestion.readers.raw_pages import RawPage
from ingestion.readers.scan import ScannedPage, read_scan
from tools.ocr import OcrEngine

_UNCLEAR = 0.75
_SECOND_TRY_DPI = 300
# A picture rendered at a much higher resolution than it was scanned at takes longer and is read no better.
_MOST_FINER = 1.5
# Words in pictures are added to a text layer if OCR is at least this sure of them.
_SURE_WORD = 0.6


class PdfPages:
    """The pages of a PDF that stays open. Pages are read separately in any order, and finished together.

    A page that cannot be read is returned empty, with a warning.

    Raises:
        UnreadableFile: the file is encrypted, broken or without pages.
    """

    def __init__(self, path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        # pdfminer logs every oddity of a font, which is noise when a folder is ingested.
        logging.getLogger("pdfminer").setLevel(logging.ERROR)
        self._path = path
        self._limits = limits
        self._ocr = ocr
        self._pdf = _open(path)
        self.count = len(self._pdf.pages)

    def read(self, first: int, last: int | None = None) -> Iterator[RawPage]:
        for page in self._pdf.pages[first - 1 : last]:
            yield _raw_page(self._path, page, self._limits, self._ocr)

    def close(self) -> None:
        self._pdf.close()


open_pages = PdfPages


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
        slow = f"reading its list of pages took longer than {most_s:g} s"
        raise UnreadableFile(str(path), f"{slow}: it is damaged, or was designed to make readers hang") from error
    except Exception as error:
        # pdfplumber wraps what pdfminer raises.
        causes = (error, *error.args)
        reason = f"it is not a readable PDF: it is damaged or cut off ({error}); print it to a new PDF"
        if any(isinstance(each, PDFPasswordIncorrect) for each in causes):
            reason = "it is encrypted; save it without a password"
        elif any(isinstance(each, PDFEncryptionError) for each in causes):
            reason = "its encryption is not supported; save it without encryption"
        elif any(isinstance(each, RecursionError) for each in causes) or "recursion" in str(error):
            reason = "it is not a readable PDF: its parts refer to one another without end"
        raise UnreadableFile(str(path), reason) from error
    if pages == 0:
        pdf.close()
        raise UnreadableFile(str(path), "it has no pages that can be read: the file is damaged or cut off")
    return pdf


def _raw_page(path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine | None) -> RawPage:
    """Read one page of the PDF at ``path`` and close it; errors become a warning."""
    number = page.page_number
    raw = RawPage(number)
    try:
        raw.width_pt, raw.height_pt = float(page.width), float(page.height)
        with time_limit(limits.page_s):
            if len(page.chars) > limits.page_characters:
                raw.warnings.append(f"page {number} has {len(page.chars)} characters and was left out")
            else:
                _read(raw, path, page, limits, ocr)
    except TimeoutError as error:
        raw.warnings.append(f"page {number} was abandoned: {error}; print the file to a new PDF and ingest that")
    except Exception as error:
        # A page's content can be broken in more ways than the libraries document; the other pages must not be affected.
        if isinstance(error, MemoryError) or any(isinstance(each, MemoryError) for each in error.args):
            raw.warnings.append(f"page {number} was left out: there is not enough memory to read it")
        else:
            raw.warnings.append(f"page {number} could not be read ({type(error).__name__}: {error})")
    finally:
        page.close()
    return raw


def _read(raw: RawPage, path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
    layer: TextLayer | None = None
    reason = why_unreadable(page)
    if not reason:
        layer = read_text_layer(page)
        reason = why_doubtful(page, layer.words)
        if not reason:
            _lay_text(raw, layer)
            return
    raw.ocr_reason = reason
    scan = _scan(raw, path, page, limits, ocr)
    if scan is not None and scan.blank:
        # An empty page needs no OCR: nothing is wrong with it.
        raw.ocr_reason = ""
    elif scan is not None and layer is not None:
        _take_better(raw, layer, scan)
    elif scan is not None:
        scan.lay_on(raw)
    elif layer is not None:
        _lay_text(raw, layer)


def _take_better(raw: RawPage, layer: TextLayer, scan: ScannedPage) -> None:
    """Choose the OCR result, or the text layer if that has more words, or both if they complement each other."""
    in_layer, in_scan = [word.text for word in layer.words], [word.text for word in scan.words]
    extra = _beside(layer.words, scan) if raw.ocr_reason == MOSTLY_A_PICTURE and scan.level else []
    read_twice = [word.text for word in scan.words if any(_overlaps(word, other) for other in layer.words)]
    if extra and known_letters(in_layer) >= 0.9 * known_letters(read_twice):
        raw.confidence = sum(word.confidence or 0.0 for word in extra) / len(extra)
        raw.items, raw.laid_height = lay_out([*layer.words, *extra], layer.tables), layer.height_pt
    elif known_letters(in_layer) >= known_letters(in_scan) and sum(map(len, in_layer)) >= 0.8 * sum(map(len, in_scan)):
        _lay_text(raw, layer)
    else:
        scan.lay_on(raw)


def _beside(words: Sequence[LayoutWord], scan: ScannedPage) -> list[LayoutWord]:
    """Return the words that OCR is sure of, in places where the text layer has none."""
    return [
        word
        for word in scan.words
        if (word.confidence or 0.0) >= _SURE_WORD and not any(_overlaps(word, other) for other in words)
    ]


def _overlaps(word: LayoutWord, other: LayoutWord) -> bool:
    """Return whether the middle of ``word`` is in ``other``, or the other way round."""
    return is_inside(word.box, other.box) or is_inside(other.box, word.box)


def _lay_text(raw: RawPage, layer: TextLayer) -> None:
    raw.items, raw.laid_height = lay_out(layer.words, layer.tables), layer.height_pt
    raw.items += [make_line([word], (word.x0, word.x1)) for word in layer.sideways]


def _scan(
    raw: RawPage, path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine | None
) -> ScannedPage | None:
    number, reason = page.page_number, raw.ocr_reason
    if ocr is None:
        raw.warnings.append(f"page {number} needs OCR ({reason}) and there is no OCR engine to read it")
        return None
    try:
        return _read_picture(path, page, limits, ocr)
    except Unavailable as error:
        raw.warnings.append(f"page {number} needs OCR ({reason}) and could not be read: {error}")
        return None


def _read_picture(path: Path, page: PlumberPage, limits: IngestionLimits, ocr: OcrEngine) -> ScannedPage:
    native = native_dpi(page)
    most = _MOST_FINER * native if native else float(_SECOND_TRY_DPI)
    first = min(float(limits.scan_dpi), most)
    scan = _read_at(path, page, first, limits, ocr)
    again = min(float(_SECOND_TRY_DPI), most)
    if scan.words and scan.confidence < _UNCLEAR and again > 1.2 * first:
        return max(scan, _read_at(path, page, again, limits, ocr), key=lambda each: each.confidence * len(each.words))
    return scan


def _read_at(path: Path, page: PlumberPage, dpi: float, limits: IngestionLimits, ocr: OcrEngine) -> ScannedPage:
    drawn = render_page(path, page.page_number, dpi=dpi, most_pixels=limits.image_pixels, grey=True)
    return read_scan(drawn.image, drawn.width_pt / drawn.image.width, ocr)
