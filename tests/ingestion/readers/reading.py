"""What the tests of readers share: reading a file, pictures, and OCR engines, real ones' bad days included."""

import io
import os
import shutil
import signal
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from contracts.errors import Unavailable
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from tools.ocr import OcrEngine, OcrResult, OcrWord

# Nested entities: ``&j;`` would expand to a thousand million words.
LAUGHS = '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "lol">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)


def needs_tesseract(test: Any) -> Any:
    """Mark a test that reads pictures with the real program."""
    absent = shutil.which("tesseract") is None
    return pytest.mark.ocr(pytest.mark.skipif(absent, reason="tesseract is not installed")(test))


def read(path: Path, ocr: OcrEngine | None = None, limits: IngestionLimits | None = None) -> list[Page]:
    return list(reader_for(path).read(path, limits or IngestionLimits(), ocr))


def kinds(page: Page) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in page.blocks]


def read_text(folder: Path, name: str, content: str) -> Page:
    """Write ``content`` to a file, and return the only page that is read of it."""
    (folder / name).write_text(content, encoding="utf-8")
    (page,) = read(folder / name)
    return page


def words_on(
    text: str, *, left: int, top: int, step: int, line: int = 1, confidence: float = 0.9, width: int = 50
) -> tuple[OcrWord, ...]:
    """Return the words of a line as OCR finds them: each 20 px high, one every ``step`` px."""
    return tuple(
        OcrWord(
            text=word,
            left=left + step * place,
            top=top,
            right=left + step * place + width,
            bottom=top + 20,
            confidence=confidence,
            block=1,
            paragraph=1,
            line=line,
        )
        for place, word in enumerate(text.split())
    )


class FixedOcr:
    """Reads the same lines on every picture, the picture's number for "{}", and notes the pictures' sizes."""

    def __init__(
        self, *lines: str, confidence: float = 0.9, width: int = 50, blank: bool = False, lead: int = 40
    ) -> None:
        self.lines = lines or ("Valve seven opens left",)
        self.lead = lead
        self.look = {"confidence": confidence, "width": width}
        self.blank = blank
        self.sizes: list[tuple[int, int]] = []

    @property
    def reads(self) -> int:
        return len(self.sizes)

    def read(self, image: Image.Image) -> OcrResult:
        self.sizes.append(image.size)
        words = [
            words_on(line.format(self.reads), left=20, top=20 + self.lead * at, step=60, line=at + 1, **self.look)  # type: ignore[arg-type]
            for at, line in enumerate(self.lines)
        ]
        return OcrResult(words=sum(words, ()), width=image.width, height=image.height, blank=self.blank)


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


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


DEADLY_PX = 333
HANGING_PX = 334
SLOW_PX = 500


@dataclass(frozen=True)
class WidthOcr:
    """Reads the width of each image, as one word; some widths kill its process, some hang, those from ``SLOW_PX`` wait.

    ``log`` takes a line for each image: the process and the width.
    """

    log: Path | None = None

    def read(self, image: Image.Image) -> OcrResult:
        if self.log is not None:
            with self.log.open("a") as log:
                log.write(f"{os.getpid()} {image.width}\n")
        if image.width == DEADLY_PX:
            os.kill(os.getpid(), signal.SIGKILL)
        if image.width == HANGING_PX:
            time.sleep(3_600)
        if image.width >= SLOW_PX:
            time.sleep(0.05)
        words = words_on(f"width{image.width}", left=20, top=200, step=60)
        return OcrResult(words=words, width=image.width, height=image.height)


def write_stack(path: Path, widths: list[int]) -> None:
    """Write a TIFF with a frame of each width."""
    frames = [Image.new("L", (width, 400), 255) for width in widths]
    frames[0].save(path, save_all=True, append_images=frames[1:])
