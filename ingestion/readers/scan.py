"""Page images: the words that OCR finds on them, placed on the page in points."""

import math
from dataclasses import dataclass

from PIL.Image import Image

from ingestion.layout.words import LayoutWord, Rectangle
from tools.ocr import OcrEngine, OcrResult, OcrWord

# What Tesseract is less sure of than this is specks, rules and pictures more often than words.
_LEAST_CONFIDENCE = 0.30


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """The words of a page image and how surely they were read, with the upright page's height in points."""

    words: tuple[LayoutWord, ...]
    confidence: float
    height_pt: float
    rotation: int = 0


def read_scan(image: Image, points_per_pixel: float, ocr: OcrEngine) -> ScannedPage:
    """Read a page image.

    The layout sees the page upright and straight; each word's ``box`` lies on the page as it is shown.

    Raises:
        Unavailable: the engine is not installed or took too long.
    """
    result = ocr.read(image)
    words = [word for word in result.words if _is_word(word)]
    confidence = sum(word.confidence for word in words) / len(words) if words else 0.0
    slope = _slope(words)
    heights = _line_heights(words)
    placed = tuple(
        _place(word, result, points_per_pixel, slope, heights[(word.block, word.paragraph, word.line)]) for word in words
    )
    return ScannedPage(placed, confidence, result.height * points_per_pixel, result.rotation)


def _is_word(word: OcrWord) -> bool:
    if word.confidence < _LEAST_CONFIDENCE and not (len(word.text) > 2 and word.text.isalnum()):
        return False
    return any(character.isalnum() for character in word.text) or word.confidence > 0.6


def _slope(words: list[OcrWord]) -> float:
    """Return the median slope of the lines (down per right) over lines of several words."""
    lines: dict[tuple[int, int, int], list[OcrWord]] = {}
    for word in words:
        lines.setdefault((word.block, word.paragraph, word.line), []).append(word)
    slopes = []
    for line in lines.values():
        first, last = line[0], line[-1]
        run = (last.left + last.right - first.left - first.right) / 2
        if len(line) >= 4 and run > 0:
            # The middles of a word with and one without descender differ: many lines even that out.
            slopes.append((last.top + last.bottom - first.top - first.bottom) / 2 / run)
    slopes.sort()
    slope = slopes[len(slopes) // 2] if len(slopes) >= 3 else 0.0
    return slope if abs(slope) < math.tan(math.radians(15)) else 0.0


def _line_heights(words: list[OcrWord]) -> dict[tuple[int, int, int], float]:
    heights: dict[tuple[int, int, int], list[int]] = {}
    for word in words:
        heights.setdefault((word.block, word.paragraph, word.line), []).append(word.bottom - word.top)
    # Words with a capital and a descender tell the size; marks and short words are lower, so look near the top.
    return {line: float(sorted(each)[(3 * len(each)) // 4]) for line, each in heights.items()}


def _place(word: OcrWord, result: OcrResult, scale: float, slope: float, line_height: float) -> LayoutWord:
    middle = ((word.left + word.right) / 2 - result.width / 2) * slope
    # A line's words get its height about their middle: else a comma or an x would stand in a row of its own.
    centre = (word.top + word.bottom) / 2 - middle
    half = max(line_height, word.bottom - word.top) / 2
    return LayoutWord(
        text=word.text,
        x0=word.left * scale,
        top=(centre - half) * scale,
        x1=word.right * scale,
        bottom=(centre + half) * scale,
        box=_as_shown(word, result, scale),
        # Letters from the ascender's top to the descender's foot take about nine tenths of the size.
        size=line_height * scale / 0.9,
    )


def _as_shown(word: OcrWord, result: OcrResult, scale: float) -> Rectangle:
    """Turn a box of the upright image back to the page as it is shown."""
    left, top, right, bottom = word.left, word.top, word.right, word.bottom
    width, height = result.width, result.height
    if result.rotation == 90:
        left, top, right, bottom = top, width - right, bottom, width - left
    elif result.rotation == 180:
        left, top, right, bottom = width - right, height - bottom, width - left, height - top
    elif result.rotation == 270:
        left, top, right, bottom = height - bottom, left, height - top, right
    return (left * scale, top * scale, right * scale, bottom * scale)
