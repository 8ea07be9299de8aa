"""OCR engines behind one contract."""

from tools.ocr.base import OcrEngine, OcrResult, OcrWord

__all__ = ["OcrEngine", "OcrResult", "OcrWord"]
