"""OCR engines that do what real ones do on a bad day; picklable, so that worker processes can be given them."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from tests.ingestion.readers.reading import words_on
from tools.ocr import OcrResult

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
        words = words_on(f"width{image.width}", left=20, top=20, step=60)
        return OcrResult(words=words, width=image.width, height=image.height)


def write_stack(path: Path, widths: list[int]) -> None:
    """Write a TIFF with a frame of each width."""
    frames = [Image.new("L", (width, 400), 255) for width in widths]
    frames[0].save(path, save_all=True, append_images=frames[1:])
