"""Images of pages: PNG, JPEG, and TIFF of one or many pages, read by OCR."""

import re
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps

from contracts.errors import Unavailable, UnreadableFile
from ingestion.limits import IngestionLimits
from ingestion.pictures import pixel_limit_is_ours, resolution_of
from ingestion.readers.raw_pages import RawPage
from ingestion.readers.scan import read_scan
from tools.ocr import OcrEngine

_REASON = "it is a picture"
# Scans at a higher resolution take longer and are read no better.
_MOST_DPI = 300.0


class ImagePages:
    """The frames of an image file that stays open. Frames are read separately in any order, and finished together.

    A frame that cannot be read is returned empty, with a warning.

    Raises:
        UnreadableFile: the file is not an image, or there is no OCR engine.
    """

    def __init__(self, path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        if ocr is None:
            raise UnreadableFile(str(path), "it is an image and there is no OCR engine; install tesseract")
        self._path = path
        self._limits = limits
        self._ocr = ocr
        try:
            with pixel_limit_is_ours():
                self._image = Image.open(path)
                self.count: int = getattr(self._image, "n_frames", 1)
        except Image.DecompressionBombError as error:
            found = re.search(r"\((\d+) pixels\)", str(error))
            size = f"{int(found[1]):,} pixels" if found else "far more pixels"
            reason = f"it has {size}, more than the {limits.image_pixels:,} allowed; save it with fewer"
            raise UnreadableFile(str(path), reason) from error
        except (OSError, ValueError, SyntaxError) as error:
            raise UnreadableFile(str(path), f"it is not a readable image ({error})") from error

    def read(self, first: int, last: int | None = None) -> Iterator[RawPage]:
        """Read the frames ``first`` to ``last`` (counted from 1, both included; None: to the end).

        Raises:
            UnreadableFile: the first frame of the file is damaged, or its only frame is too large.
        """
        for number in range(first, min(last or self.count, self.count) + 1):
            yield self._read_frame(number)

    def close(self) -> None:
        self._image.close()

    def _read_frame(self, number: int) -> RawPage:
        image, most = self._image, self._limits.image_pixels
        try:
            with pixel_limit_is_ours():
                image.seek(number - 1)
            if image.width * image.height > most:
                size = f"{image.width} x {image.height} pixels"
                raise Image.DecompressionBombError(f"has {size}, more than the {most:,} allowed")
        except Image.DecompressionBombError as error:
            if self.count == 1:
                raise UnreadableFile(str(self._path), f"it {error}", page=number) from error
            return RawPage(number, ocr_reason=_REASON, warnings=[f"page {number} {error}"])
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            if number == 1:
                raise UnreadableFile(str(self._path), f"it is damaged or cut off ({error})") from error
            return RawPage(number, warnings=[f"page {number} is damaged or cut off ({error})"])
        return _raw_page(image, number, self._ocr)


open_pages = ImagePages


def _raw_page(frame: Image.Image, number: int, ocr: OcrEngine) -> RawPage:
    resolution = resolution_of(frame)
    scale = 72.0 / resolution
    raw = RawPage(number, round(frame.width * scale, 1), round(frame.height * scale, 1), ocr_reason=_REASON)
    try:
        frame.load()
        upright = ImageOps.exif_transpose(frame) or frame
        raw.width_pt, raw.height_pt = round(upright.width * scale, 1), round(upright.height * scale, 1)
        smaller = max(1, int(resolution / _MOST_DPI + 0.05))
        scan = read_scan(upright.convert("L").reduce(smaller) if smaller > 1 else upright, scale * smaller, ocr)
    except (OSError, ValueError, SyntaxError, Unavailable) as error:
        raw.warnings.append(f"page {number} could not be read: {error}")
        return raw
    if scan.blank:
        raw.ocr_reason = ""
    else:
        scan.lay_on(raw)
    return raw
