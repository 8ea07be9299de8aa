"""What the tests of readers share: reading a file, an OCR engine that knows its picture, pictures."""

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from contracts.errors import Unavailable
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from tools.ocr import OcrEngine, OcrResult, OcrWord


def read(path: Path, ocr: OcrEngine | None = None, limits: IngestionLimits | None = None) -> list[Page]:
    return list(reader_for(path).read(path, limits or IngestionLimits(), ocr))


def kinds(page: Page) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in page.blocks]


def words_on(
    text: str, *, left: int, top: int, step: int, line: int = 1, confidence: float = 0.9
) -> tuple[OcrWord, ...]:
    """Return the words of a line as OCR finds them: each 50 px wide and 20 px high, one every ``step`` px."""
    return tuple(
        OcrWord(
            text=word,
            left=left + step * place,
            top=top,
            right=left + step * place + 50,
            bottom=top + 20,
            confidence=confidence,
            block=1,
            paragraph=1,
            line=line,
        )
        for place, word in enumerate(text.split())
    )


@dataclass
class FixedOcr:
    """Reads the same line on every picture, and counts them."""

    line: str = "Valve seven opens left"
    confidence: float = 0.9
    reads: int = 0

    def read(self, image: Image.Image) -> OcrResult:
        self.reads += 1
        words = words_on(self.line, left=20, top=20, step=90, confidence=self.confidence)
        return OcrResult(words=words, width=image.width, height=image.height)


class MissingOcr:
    """An engine that is not installed."""

    def read(self, image: Image.Image) -> OcrResult:
        raise Unavailable("tesseract is not installed")


def picture(text: str, size: tuple[int, int] = (600, 120)) -> bytes:
    """Draw a PNG with a line of text."""
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((20, 20), text, fill="black", font=ImageFont.load_default(size=28))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
