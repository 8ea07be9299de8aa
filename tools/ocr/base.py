"""The contract of OCR engines."""

from dataclasses import dataclass
from typing import Protocol

from PIL.Image import Image


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrWord:
    """A word on an image: its box in pixels (origin top left), confidence in [0, 1], and its line and block numbers."""

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
    """The words of a page image in reading order.

    ``rotation`` is how far (degrees, clockwise: 0, 90, 180, 270) the image was turned upright first; boxes are those of
    the upright image, whose size is ``width`` by ``height`` pixels.
    """

    words: tuple[OcrWord, ...]
    width: int
    height: int
    rotation: int = 0

    @property
    def confidence(self) -> float:
        """The mean word confidence, 0 where there is no word."""
        return sum(word.confidence for word in self.words) / len(self.words) if self.words else 0.0


class OcrEngine(Protocol):
    """Reads the words on a page image. Blocking: call it in a worker."""

    def read(self, image: Image) -> OcrResult:
        """Read ``image``.

        Raises:
            Unavailable: the engine is not installed or does not answer in time; the text says how to install it.
        """
        ...
