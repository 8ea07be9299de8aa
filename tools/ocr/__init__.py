"""OCR engines with a common contract."""

from tools.ocr.base import OcrEngine, OcrResult, OcrWord

__all__ = ["OcrEngine", "OcrResult", "OcrWord"]
