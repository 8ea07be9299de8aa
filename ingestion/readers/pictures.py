"""Pictures inside documents: OCR of those that are large enough to contain text."""

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from contracts.errors import Unavailable
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.pictures import pixel_limit_is_ours
from tools.ocr import OcrEngine

if TYPE_CHECKING:
    from PIL.Image import Image

# Two lines of small type need this much space; icons, rules and buttons are smaller.
_LEAST_WIDTH_PX, _LEAST_HEIGHT_PX, _LEAST_AREA_PX = 120, 24, 12_000
_MOST_BYTES = 64 * 1024 * 1024
# Screens show 96 pixels per inch; small type on screenshots is read better when enlarged.
_SCREEN_DPI = 96.0
_ENLARGED_BELOW_PX = 1_000
# Photographs and drawings are read as a few odd letters with low confidence.
_LEAST_CONFIDENCE = 0.55
_DOUBTED_CONFIDENCE = 0.75


class PictureReader:
    """Reads the pictures of one document; a picture that is repeated, such as a logo, is read once.

    Its blocks have no boxes, because a picture has its own coordinates, and no headings, because it is inside a
    section. Its warnings and its confidence belong to the page that ``page`` makes next.
    """

    def __init__(self, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        self._limits = limits
        self._ocr = ocr
        self._seen: set[bytes] = set()
        self._left = limits.pictures
        self._confidences: list[float] = []
        self._warnings: list[str] = []
        self._unread = 0
        self._why_unread = "there is no OCR engine"

    def read(self, raw: bytes, page: int = 1) -> list[Block]:
        """Return the text in a picture as blocks; [] if it is too small, not a picture, or without text."""
        digest = hashlib.sha256(raw).digest()
        if digest in self._seen or not 0 < len(raw) <= _MOST_BYTES:
            return []
        self._seen.add(digest)
        image = self._opened(raw)
        if image is None:
            return []
        if self._ocr is None or self._left == 0:
            self._unread += 1
            return []
        self._left -= 1
        try:
            return self._words(image, self._ocr, page)
        except Unavailable as error:
            self._ocr, self._why_unread = None, str(error)
            self._unread += 1
        except (OSError, ValueError, SyntaxError) as error:
            self._warnings.append(f"page {page}: a picture is damaged ({error})")
        return []

    def page(self, page: Page) -> Page:
        """Return a page with the mean confidence of its pictures with text, and the warnings about them."""
        confidence = fmean(self._confidences) if self._confidences else None
        if self._unread:
            if self._left == 0:
                self._why_unread = f"more than {self._limits.pictures} are not read"
            noun = "picture was" if self._unread == 1 else "pictures were"
            self._warnings.append(f"{self._unread} {noun} not read: {self._why_unread}")
        page = replace(page, ocr_confidence=confidence, warnings=(*page.warnings, *self._warnings))
        self._confidences, self._warnings, self._unread = [], [], 0
        return page

    def _opened(self, raw: bytes) -> "Image | None":
        from PIL import Image

        try:
            with pixel_limit_is_ours():
                image = Image.open(io.BytesIO(raw))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            # Vector drawings and other objects that Office embeds.
            return None
        width, height = image.size
        if width < _LEAST_WIDTH_PX or height < _LEAST_HEIGHT_PX or width * height < _LEAST_AREA_PX:
            return None
        if width * height > self._limits.image_pixels:
            self._warnings.append(f"a picture has {width} x {height} pixels: too large to be read")
            return None
        return image

    def _words(self, image: "Image", ocr: OcrEngine, page: int) -> list[Block]:
        from PIL import Image

        from ingestion.layout.blocks import build_blocks, learn_style
        from ingestion.layout.page import lay_out
        from ingestion.readers.scan import read_scan
        from tools.ocr.images import flatten

        image.load()
        image = flatten(image)
        scale = 1
        if max(image.size) < _ENLARGED_BELOW_PX:
            scale = 2
            image = image.resize((image.width * 2, image.height * 2), Image.Resampling.LANCZOS)
        scan = read_scan(image, 72.0 / _SCREEN_DPI / scale, ocr)
        items = lay_out(list(scan.words), [])
        blocks = _plain(list(build_blocks(items, page, learn_style(items, scanned=True))))
        if not any(re.search(r"\w{2}", block.text) for block in blocks):
            return []
        if scan.confidence < _LEAST_CONFIDENCE:
            self._warnings.append(f"page {page}: a picture contains marks that could not be read as text")
            return []
        self._confidences.append(scan.confidence)
        if scan.confidence < _DOUBTED_CONFIDENCE:
            self._warnings.append(f"page {page}: a picture was read with little confidence ({scan.confidence:.0%})")
        return blocks


def _plain(blocks: Sequence[Block]) -> list[Block]:
    return [
        replace(block, boxes=(), level=0, kind="paragraph" if block.kind == "heading" else block.kind)
        for block in blocks
        if block.text.strip()
    ]
