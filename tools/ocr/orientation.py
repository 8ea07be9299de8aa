"""Reading a page upright and straight: what every OCR engine needs done to an image first."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.ruling_lines import without_rules
from tools.ocr.skew import estimate_skew, ink_share

_UNCLEAR_CONFIDENCE = 0.85
_LEAST_SKEW_DEGREES = 0.3
_BLANK_INK = 0.0001
# The engines' models were trained on capitals of about 30 pixels; well below that an enlarged image reads better.
_SMALL_WORD_PX = 16
_MAX_ENLARGED_PX = 30_000_000
# Engines put some boxes around the whole line, or a cell; no more than this share is cut away at either end.
_MOST_TRIM = 0.45
_LEAST_CONTRAST = 30
_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}

Recognise = Callable[[Image.Image, float], tuple[OcrWord, ...]]
LikelyTurns = Callable[[Image.Image, float], tuple[int, ...]]


class OutOfTime(Unavailable):
    """An engine did not finish an image in its time."""


@dataclass(frozen=True, slots=True)
class UprightReader:
    """Reads an image with ``recognise``, straightened, and turned where it can hardly be read as it lies.

    ``recognise`` reads the words of a greyscale image as they stand, ``likely_turns`` says by how many degrees
    clockwise it should be turned (none: not at all); both are given the seconds left of ``timeout_s``, the time
    for the whole image, and raise ``OutOfTime`` when these are over. Turns are looked for below ``sure_confidence``.
    """

    recognise: Recognise
    likely_turns: LikelyTurns
    timeout_s: float
    sure_confidence: float

    def read(self, image: Image.Image) -> OcrResult:
        """Read ``image``.

        Raises:
            OutOfTime: not even the first look was finished in time. A later one that is not is left out.
        """
        grey = flatten(image)
        if ink_share(grey) < _BLANK_INK:
            return OcrResult(words=(), width=grey.width, height=grey.height, blank=True)
        deadline = time.monotonic() + self.timeout_s
        best = self._look(grey, deadline)
        sideways = _reads_sideways(best)
        if best.confidence >= self.sure_confidence and len(best.words) > 3 and not sideways:
            return best
        try:
            for rotation in self.likely_turns(grey, self._left_s(deadline)):
                turned = self._look(grey.transpose(_TURNS[rotation]), deadline)
                turned = replace(turned, rotation=rotation, given_width=grey.width, given_height=grey.height)
                # Lines that run upwards may read well, but only upright ones have columns and rows.
                if _weight(turned) > (0.8 if sideways and not _reads_sideways(turned) else 1.0) * _weight(best):
                    best, sideways = turned, False
                if best.confidence >= self.sure_confidence and not sideways:
                    break
        except OutOfTime:
            pass
        return best

    def _left_s(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime(f"the OCR engine did not finish an image within {self.timeout_s:g} s.")
        return left

    def _look(self, grey: Image.Image, deadline: float) -> OcrResult:
        skew = estimate_skew(grey)
        if abs(skew) < _LEAST_SKEW_DEGREES:
            return self._read_sized(grey, deadline)
        # Expanded: the corners of a page that is turned straight would be cut off.
        straight = grey.rotate(skew, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        result = self._read_sized(straight, deadline)
        return replace(result, skew=skew, given_width=grey.width, given_height=grey.height)

    def _read_sized(self, grey: Image.Image, deadline: float) -> OcrResult:
        grey = without_rules(grey)
        result = self._run(grey, 1, deadline)
        heights = sorted(word.bottom - word.top for word in result.words)
        small = not heights or heights[len(heights) // 2] < _SMALL_WORD_PX
        if small and result.confidence < _UNCLEAR_CONFIDENCE and grey.width * grey.height * 4 <= _MAX_ENLARGED_PX:
            with contextlib.suppress(OutOfTime):
                return max(result, self._run(grey, 2, deadline), key=_weight)
        return result

    def _run(self, grey: Image.Image, scale: int, deadline: float) -> OcrResult:
        size = (grey.width * scale, grey.height * scale)
        image = grey.resize(size, Image.Resampling.LANCZOS) if scale > 1 else grey
        pixels = np.asarray(image)
        words = [tightened(word, pixels) for word in self.recognise(image, self._left_s(deadline))]
        if scale > 1:
            words = [
                replace(
                    word,
                    left=word.left // scale,
                    top=word.top // scale,
                    right=-(-word.right // scale),
                    bottom=-(-word.bottom // scale),
                )
                for word in words
            ]
        return OcrResult(words=tuple(words), width=grey.width, height=grey.height)


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


def _weight(result: OcrResult) -> float:
    """Weigh a reading by what was read with confidence: noise makes many words, but none it is sure of."""
    return sum(len(word.text) * word.confidence**2 for word in result.words) * result.confidence


def _reads_sideways(result: OcrResult) -> bool:
    """Say whether most longer words are higher than wide: engines read some lines that run up or down the page."""
    long = [word for word in result.words if len(word.text) >= 4]
    high = sum(1 for word in long if word.bottom - word.top > word.right - word.left)
    return len(long) > 3 and high > 0.6 * len(long)
