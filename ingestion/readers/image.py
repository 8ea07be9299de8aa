"""Images of pages: PNG, JPEG, and TIFF of one or many pages, read by OCR."""

import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps, ImageSequence

from contracts.errors import Unavailable, UnreadableFile
from contracts.text import Page
from ingestion.layout.blocks import build_blocks, learn_style
from ingestion.layout.page import lay_out
from ingestion.limits import IngestionLimits
from ingestion.pictures import resolution_of
from ingestion.readers.scan import ScannedPage, read_scan
from tools.ocr import OcrEngine


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read each frame of an image as a page; a frame that cannot be read comes out empty, with a warning.

    Raises:
        UnreadableFile: the file is no image, is too large, or there is no OCR engine.
    """
    if ocr is None:
        raise UnreadableFile(str(path), "it is an image and there is no OCR engine; install tesseract")
    try:
        with warnings.catch_warnings():
            # The limit on pixels is ours and is checked on every frame.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(path)
            frames = getattr(image, "n_frames", 1)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnreadableFile(str(path), f"it is not a readable image ({error})") from error
    with image:
        if frames > limits.pages:
            raise UnreadableFile(str(path), f"it has {frames} pages, more than the {limits.pages} allowed; split it")
        number = 0
        try:
            for number, frame in enumerate(ImageSequence.Iterator(image), start=1):
                yield _read_frame(path, frame, number, limits, ocr)
        except (OSError, ValueError, SyntaxError) as error:
            if number == 0:
                raise UnreadableFile(str(path), f"it is damaged or cut off ({error})") from error
            yield Page(number=number + 1, blocks=(), warnings=(f"page {number + 1} is damaged or cut off ({error})",))


def title(path: Path) -> str:
    """Return "": images name no title."""
    return ""


def _read_frame(path: Path, frame: Image.Image, number: int, limits: IngestionLimits, ocr: OcrEngine) -> Page:
    if frame.width * frame.height > limits.image_pixels:
        raise UnreadableFile(
            str(path),
            f"it has {frame.width} x {frame.height} pixels, more than the {limits.image_pixels:,} allowed",
            page=number,
        )
    scale = 72.0 / resolution_of(frame)
    width, height = frame.width * scale, frame.height * scale
    try:
        frame.load()
        upright = ImageOps.exif_transpose(frame) or frame
        width, height = upright.width * scale, upright.height * scale
        scan = read_scan(upright, scale, ocr)
    except (OSError, ValueError, SyntaxError, Unavailable) as error:
        warning = f"page {number} could not be read: {error}"
        return Page(number=number, blocks=(), width_pt=width, height_pt=height, warnings=(warning,))
    return _page_of(scan, number, width, height)


def _page_of(scan: ScannedPage, number: int, width: float, height: float) -> Page:
    items = lay_out(list(scan.words), [])
    style = learn_style(items, scanned=True)
    return Page(
        number=number,
        blocks=tuple(build_blocks(items, number, style)),
        width_pt=round(width, 1),
        height_pt=round(height, 1),
        ocr_confidence=scan.confidence,
    )
