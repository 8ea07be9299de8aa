"""The contract of OCR engines."""

import math
from dataclasses import dataclass
from typing import Protocol

from PIL.Image import Image

PixelBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrWord:
    """A word in an image: its box in pixels (origin top left), confidence in [0, 1], and line and block numbers."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    confidence: float
    block: int
    paragraph: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrResult:
    """The words of a page image in the engine's reading order.

    Boxes refer to the upright, deskewed image, which has ``width`` by ``height`` pixels. Before reading, the given
    image was rotated clockwise by ``rotation`` (0, 90, 180 or 270 degrees) and then counter-clockwise by ``skew``
    degrees, the clockwise slant of its lines. ``place`` maps boxes back to the given image. ``blank`` means that it
    contains no ink.
    """

    words: tuple[OcrWord, ...]
    width: int
    height: int
    rotation: int = 0
    skew: float = 0.0
    blank: bool = False
    given_width: int = 0
    given_height: int = 0

    @property
    def confidence(self) -> float:
        """The mean word confidence; 0 if there are no words."""
        return sum(word.confidence for word in self.words) / len(self.words) if self.words else 0.0

    def place(self, word: OcrWord) -> PixelBox:
        """Return the box around ``word`` in the given image: left, top, right and bottom in pixels."""
        given = (self.given_width or self.width, self.given_height or self.height)
        upright = given[::-1] if self.rotation in (90, 270) else given
        left, top, right, bottom = self._slanted(word, upright)
        width, height = upright
        if self.rotation == 90:
            left, top, right, bottom = top, width - right, bottom, width - left
        elif self.rotation == 180:
            left, top, right, bottom = width - right, height - bottom, width - left, height - top
        elif self.rotation == 270:
            left, top, right, bottom = height - bottom, left, height - top, right
        return (left, top, right, bottom)

    def _slanted(self, word: OcrWord, upright: tuple[int, int]) -> PixelBox:
        sine, cosine = math.sin(math.radians(self.skew)), math.cos(math.radians(self.skew))
        xs, ys = [], []
        for x in (word.left - self.width / 2, word.right - self.width / 2):
            for y in (word.top - self.height / 2, word.bottom - self.height / 2):
                xs.append(x * cosine - y * sine + upright[0] / 2)
                ys.append(x * sine + y * cosine + upright[1] / 2)
        return (max(0.0, min(xs)), max(0.0, min(ys)), min(max(xs), upright[0]), min(max(ys), upright[1]))


class OcrEngine(Protocol):
    """Reads the words in a page image. The call blocks, so make it in a worker."""

    def read(self, image: Image) -> OcrResult:
        """Read ``image``.

        Raises:
            Unavailable: the engine is not installed or takes too long; the message explains how to install it.
        """
