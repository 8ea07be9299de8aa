"""The OCR engine: which one reads scanned pages."""

import importlib.util
import shutil
from functools import cache
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.ocr import OcrEngine


def build_ocr(settings: Settings) -> "OcrEngine":
    """Return the configured engine; RapidOCR where Tesseract is not installed and RapidOCR is, which is said once.

    Where neither is there, Tesseract's: each scanned page is then reported with how to install it.

    Raises:
        ConfigurationError: RapidOCR is asked for and is not installed.
    """
    if settings.ocr_engine == "rapidocr" and not _has_rapidocr():
        raise ConfigurationError(
            "GOLDEN_OCR_ENGINE is rapidocr, and that package is not installed: "
            'pip install "golden-retriever[rapidocr]", or set GOLDEN_OCR_ENGINE=tesseract'
        )
    instead = settings.ocr_engine == "tesseract" and shutil.which("tesseract") is None and _has_rapidocr()
    if instead:
        _say_instead()
    if settings.ocr_engine == "rapidocr" or instead:
        from tools.ocr.rapid import RapidOcr

        return RapidOcr()
    from tools.ocr.tesseract import TesseractOcr

    return TesseractOcr(language=settings.ocr_language)


@cache
def _say_instead() -> None:
    import structlog

    structlog.get_logger().warning(
        "The OCR program tesseract is not installed: scanned pages are read with RapidOCR, which is slower. Install "
        "tesseract (Debian, Ubuntu: apt-get install tesseract-ocr), or set GOLDEN_OCR_ENGINE=rapidocr."
    )


def _has_rapidocr() -> bool:
    return importlib.util.find_spec("rapidocr") is not None
