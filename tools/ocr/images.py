"""Page images made ready for OCR, and the boxes of words on them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tools.ocr.base import OcrWord

# Tesseract puts some boxes around the whole line, or a cell; no more than this share is cut away at either end.
_MOST_TRIM = 0.45
_LEAST_CONTRAST = 30


def flatten(image: Image.Image) -> Image.Image:
    """Return ``image`` in 8 bits of grey, transparent parts as white paper, the tones of deeper images spread out."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layered = image.convert("RGBA")
        paper = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        image = Image.alpha_composite(paper, layered)
    if image.mode.startswith("I") or image.mode == "F":
        low, high = (float(each) for each in image.convert("F").getextrema())  # type: ignore[arg-type]
        image = image.convert("F").point(lambda value: (value - low) * (255 / max(high - low, 1.0)))
    return image.convert("L")


def tightened(word: OcrWord, pixels: NDArray[np.uint8]) -> OcrWord:
    """Cut the white above and below the ink off a word's box: type sizes are measured by the height of letters."""
    left, right = max(0, word.left), min(pixels.shape[1], max(word.right, word.left + 1))
    top, bottom = max(0, word.top), min(pixels.shape[0], max(word.bottom, word.top + 1))
    part = pixels[top:bottom, left:right]
    if not part.size:
        return word
    paper, darkest = float(np.percentile(part, 95)), float(part.min())
    rows = np.flatnonzero((part < (paper + darkest) / 2).any(axis=1))
    if paper - darkest >= _LEAST_CONTRAST and len(rows):
        most = int(_MOST_TRIM * (bottom - top))
        first, last = min(int(rows[0]), most), max(int(rows[-1]) + 1, bottom - top - most)
        top, bottom = top + first, top + last
    return replace(word, left=left, top=top, right=right, bottom=bottom)
