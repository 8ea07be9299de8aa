"""Images of pages: PNG, JPEG, and TIFF of one or many pages, read by OCR."""

import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps

from contracts.errors import Unavailable, UnreadableFile
from contracts.text import Page
from ingestion.layout.furniture import PageItems
from ingestion.layout.page import lay_out
from ingestion.limits import IngestionLimits
from ingestion.pictures import resolution_of
from ingestion.readers.scan import PatientOcr, read_scan
from ingestion.readers.sketches import PageSketch, finish
from tools.ocr import OcrEngine

_REASON = "it is a picture"
# Finer scans take longer and read no better.
_MOST_DPI = 300.0


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
        sketches = list(_sketches(path, image, frames, limits, PatientOcr(ocr)))
    yield from finish(sketches)


def _sketches(
    path: Path, image: Image.Image, frames: int, limits: IngestionLimits, ocr: OcrEngine
) -> Iterator[PageSketch]:
    for number in range(1, frames + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                image.seek(number - 1)
            if image.width * image.height > limits.image_pixels:
                raise _too_large(image, limits)
        except Image.DecompressionBombError as error:
            if frames == 1:
                raise UnreadableFile(str(path), f"it {error}", page=number) from error
            yield PageSketch(number, ocr_reason=_REASON, warnings=[f"page {number} {error}"])
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            if number == 1:
                raise UnreadableFile(str(path), f"it is damaged or cut off ({error})") from error
            yield PageSketch(number, warnings=[f"page {number} is damaged or cut off ({error})"])
            return
        else:
            yield _sketch(image, number, ocr)


def _too_large(image: Image.Image, limits: IngestionLimits) -> Image.DecompressionBombError:
    size = f"{image.width} x {image.height} pixels"
    return Image.DecompressionBombError(f"has {size}, more than the {limits.image_pixels:,} allowed")


def title(path: Path) -> str:
    """Return "": images name no title."""
    return ""


def _sketch(frame: Image.Image, number: int, ocr: OcrEngine) -> PageSketch:
    resolution = resolution_of(frame)
    scale = 72.0 / resolution
    sketch = PageSketch(number, round(frame.width * scale, 1), round(frame.height * scale, 1), ocr_reason=_REASON)
    try:
        frame.load()
        upright = ImageOps.exif_transpose(frame) or frame
        sketch.width_pt, sketch.height_pt = round(upright.width * scale, 1), round(upright.height * scale, 1)
        smaller = max(1, int(resolution / _MOST_DPI + 0.05))
        scan = read_scan(upright.convert("L").reduce(smaller) if smaller > 1 else upright, scale * smaller, ocr)
    except (OSError, ValueError, SyntaxError, Unavailable) as error:
        sketch.warnings.append(f"page {number} could not be read: {error}")
        return sketch
    if scan.blank:
        sketch.ocr_reason = ""
    else:
        sketch.confidence = scan.confidence
        sketch.laid = PageItems(lay_out(scan.words, []), scan.height_pt)
    return sketch
