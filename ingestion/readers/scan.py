"""Page images: the words that OCR finds on them, placed on the page in points."""

import math
from dataclasses import dataclass, replace

from PIL.Image import Image

from ingestion.layout.page import lay_out
from ingestion.layout.words import LayoutWord
from ingestion.readers.raw_pages import RawPage
from tools.ocr import OcrEngine, OcrWord
from tools.ocr.base import PixelBox

# Results below this confidence are more often specks, rules and pictures than words.
_LEAST_CONFIDENCE = 0.30
# An A2 page at 300 dpi. Larger pictures take memory and minutes, and no page of text needs them.
_MOST_PIXELS = 35_000_000
_Line = tuple[int, int, int]
_SPECKS = frozenset("e¢«»°©®@*¤·•●■▪¢○◦+=-–—~")


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """The words of a page image and how reliably they were read.

    ``height_pt`` is the height of the upright, straightened page. ``blank`` means that the page has no ink, ``level``
    that it was read without rotation.
    """

    words: tuple[LayoutWord, ...]
    confidence: float
    height_pt: float
    blank: bool = False
    level: bool = True

    def lay_on(self, raw: RawPage) -> None:
        """Replace the content of a page with the text read from its image."""
        raw.confidence = self.confidence
        raw.items, raw.laid_height = lay_out(self.words, []), self.height_pt


def read_scan(image: Image, points_per_pixel: float, ocr: OcrEngine) -> ScannedPage:
    """Read a page image.

    The layout sees the page upright and straight; each word's ``box`` is its position on the page as shown.

    Raises:
        Unavailable: the engine is not installed or took too long.
    """
    image, shrunk = _bounded(image)
    points_per_pixel *= shrunk
    result = ocr.read(image)
    words = _restore_bullets([word for word in result.words if _is_word(word)])
    confidence = sum(word.confidence for word in words) / len(words) if words else 0.0
    lines: dict[_Line, list[OcrWord]] = {}
    for word in words:
        lines.setdefault(_line_of(word), []).append(word)
    measured = {line: _measured(each, number) for number, (line, each) in enumerate(lines.items(), start=1)}
    placed = tuple(_place(word, result.place(word), points_per_pixel, measured[_line_of(word)]) for word in words)
    return ScannedPage(
        placed, confidence, result.height * points_per_pixel, result.blank, not (result.rotation or result.skew)
    )


def _bounded(image: Image) -> tuple[Image, float]:
    """Return an image with no more pixels than an engine needs, and the factor by which it was shrunk."""
    factor = math.ceil(math.sqrt(image.width * image.height / _MOST_PIXELS))
    return (image.reduce(factor), float(factor)) if factor > 1 else (image, 1.0)


def _is_word(word: OcrWord) -> bool:
    if word.confidence < _LEAST_CONFIDENCE and not (len(word.text) > 2 and word.text.isalnum()):
        return False
    return any(character.isalnum() for character in word.text) or word.confidence > 0.6 or word.text in _SPECKS


@dataclass(frozen=True, slots=True)
class _Measured:
    """A line's number, its type size (None: no letters) and its baseline, in pixels, as medians of its words."""

    number: int
    size: float | None
    baseline: float


def _measured(words: list[OcrWord], number: int) -> _Measured:
    sizes = sorted((word.bottom - word.top) / share for word in words if (share := _height_share(word.text)))
    size = sizes[len(sizes) // 2] if sizes else None
    baselines = sorted(_baseline(word, size or float(word.bottom - word.top)) for word in words)
    return _Measured(number, size, baselines[len(baselines) // 2])


def _height_share(text: str) -> float:
    """Return the height of the letters of ``text`` relative to the type size: 1.0 from ascender to descender.

    Source: heights of Helvetica and Times: x-height about .48 of the size, capitals .70, descenders .22.
    """
    letters = [character for character in text if character.isalnum()]
    if not letters:
        return 0.0
    rises = any(character in "bdfhijklt" or character.isupper() or character.isdigit() for character in letters)
    falls = any(character in "gjpqy" for character in letters) or any(character in "()[]/" for character in text)
    return 0.48 + (0.22 if rises else 0.0) + (0.22 if falls else 0.0)


def _line_of(word: OcrWord) -> _Line:
    return (word.block, word.paragraph, word.line)


def _restore_bullets(words: list[OcrWord]) -> list[OcrWord]:
    """Restore bullets at the start of lines: OCR reads round specks as small letters."""
    restored = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else None
        after = words[index + 1] if index + 1 < len(words) else None
        leads = before is None or _line_of(before) != _line_of(word)
        followed = after is not None and _line_of(after) == _line_of(word) and after.left - word.right > 2
        restored.append(replace(word, text="•") if leads and followed and word.text in _SPECKS else word)
    return restored


def _baseline(word: OcrWord, size: float) -> float:
    if word.bottom - word.top < 0.35 * size:
        # A dash or a dot.
        return (word.top + word.bottom) / 2 + 0.25 * size
    return word.bottom - (0.22 * size if any(character in "gjpqy()[]/,;" for character in word.text) else 0.0)


def _place(word: OcrWord, shown: PixelBox, scale: float, line: _Measured) -> LayoutWord:
    size, baseline = line.size or float(word.bottom - word.top), line.baseline
    return LayoutWord(
        text=word.text,
        x0=word.left * scale,
        top=(baseline - 0.72 * size) * scale,
        x1=word.right * scale,
        bottom=(baseline + 0.2 * size) * scale,
        box=(shown[0] * scale, shown[1] * scale, shown[2] * scale, shown[3] * scale),
        size=size * scale,
        line=line.number,
        confidence=word.confidence,
    )
