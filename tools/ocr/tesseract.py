"""OCR by the program Tesseract."""

import contextlib
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytesseract
from PIL import Image
from pytesseract import Output

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.skew import estimate_skew, ink_share

_INSTALL = "Install it (Debian, Ubuntu: apt-get install tesseract-ocr; macOS: brew install tesseract) and try again."

# An upright, clean page reads at about .95; a page that lies on its side or upside down below .6.
_LOW_CONFIDENCE = 0.70
_LEAST_SKEW_DEGREES = 0.3
_BLANK_INK = 0.0001
# Tesseract's models were trained on capitals of about 30 pixels; well below that an enlarged image reads better.
_SMALL_WORD_PX = 16
_MAX_ENLARGED_PX = 30_000_000
_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}


class TesseractOcr:
    """Reads page images with Tesseract, one thread an image.

    Small slants are straightened before reading and large turns (90°, 180°, 270°) are looked for where little could be
    read. ``language`` is Tesseract's name of it ("eng", "eng+deu"); ``timeout_s`` holds for each run of the program.
    """

    def __init__(self, language: str = "eng", timeout_s: float = 60.0) -> None:
        self._language = language
        self._timeout_s = timeout_s

    def read(self, image: Image.Image) -> OcrResult:
        """Read the words of ``image``; their boxes are those of the image after the turn that the result names.

        Raises:
            Unavailable: the program or its language file is missing, or it took longer than ``timeout_s``.
        """
        grey = _flatten(image)
        if ink_share(grey) < _BLANK_INK:
            return OcrResult(words=(), width=grey.width, height=grey.height)
        best = self._read_straightened(grey)
        sideways = _reads_sideways(best)
        if best.confidence >= _LOW_CONFIDENCE and len(best.words) > 3 and not sideways:
            return best
        for rotation in self._likely_turns(grey):
            turned = grey.transpose(_TURNS[rotation])
            attempt = replace(self._read_straightened(turned), rotation=rotation)
            # Lines that run upwards may read well, but only upright ones have columns and rows.
            if _weight(attempt) > (0.8 if sideways and not _reads_sideways(attempt) else 1.0) * _weight(best):
                best, sideways = attempt, False
            if best.confidence >= _LOW_CONFIDENCE and not sideways:
                break
        return best

    def _read_straightened(self, grey: Image.Image) -> OcrResult:
        skew = estimate_skew(grey)
        if abs(skew) < _LEAST_SKEW_DEGREES:
            return self._read_sized(grey)
        straight = grey.rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
        return _turn_back(self._read_sized(straight), skew)

    def _read_sized(self, grey: Image.Image) -> OcrResult:
        result = self._run(grey, 1)
        heights = sorted(word.bottom - word.top for word in result.words)
        small = bool(heights) and heights[len(heights) // 2] < _SMALL_WORD_PX
        unclear = result.confidence < 0.85 and grey.width * grey.height * 4 <= _MAX_ENLARGED_PX
        if unclear and (small or not heights):
            larger = self._run(grey, 2)
            return max(result, larger, key=_weight)
        return result

    def _run(self, grey: Image.Image, scale: int) -> OcrResult:
        size = (grey.width * scale, grey.height * scale)
        image = grey.resize(size, Image.Resampling.LANCZOS) if scale > 1 else grey
        with self._errors_for_people(), _one_thread():
            table: dict[str, list[Any]] = pytesseract.image_to_data(
                image, lang=self._language, timeout=self._timeout_s, output_type=Output.DICT
            )
        words = tuple(
            OcrWord(
                text=text,
                left=table["left"][row] // scale,
                top=table["top"][row] // scale,
                right=(table["left"][row] + table["width"][row]) // scale,
                bottom=(table["top"][row] + table["height"][row]) // scale,
                confidence=min(1.0, max(0.0, float(table["conf"][row]) / 100)),
                block=table["block_num"][row],
                paragraph=table["par_num"][row],
                line=table["line_num"][row],
            )
            for row, text in enumerate(str(each).strip() for each in table["text"])
            if text and float(table["conf"][row]) >= 0
        )
        return OcrResult(words=words, width=grey.width, height=grey.height)

    def _likely_turns(self, grey: Image.Image) -> tuple[int, ...]:
        with self._errors_for_people(), _one_thread():
            try:
                found = pytesseract.image_to_osd(grey, timeout=self._timeout_s, output_type=Output.DICT)
            except pytesseract.TesseractError:
                # Too few letters to tell: each turn has to be read.
                return (90, 270, 180)
        rotation = int(found["rotate"])
        return (rotation,) if rotation in _TURNS else ()

    @contextlib.contextmanager
    def _errors_for_people(self) -> Iterator[None]:
        try:
            yield
        except pytesseract.TesseractNotFoundError as error:
            raise Unavailable(f"The OCR program tesseract is not installed. {_INSTALL}") from error
        except pytesseract.TesseractError as error:
            raise Unavailable(
                f"tesseract failed for language {self._language!r}: {str(error.message)[:300]}. Check that the "
                f"language is installed (tesseract --list-langs; Debian: apt-get install tesseract-ocr-<language>)."
            ) from error
        except RuntimeError as error:
            if "timeout" not in str(error):
                raise
            raise Unavailable(f"tesseract did not finish an image within {self._timeout_s:g} s.") from error


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    # pytesseract hands its own name ``environ`` to the program. Its threads only fight those of the other workers, and
    # setting the variable for this whole process would slow down torch, which obeys it too.
    pytesseract.pytesseract.environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    yield


def _flatten(image: Image.Image) -> Image.Image:
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layered = image.convert("RGBA")
        paper = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        image = Image.alpha_composite(paper, layered)
    if image.mode.startswith("I") or image.mode == "F":
        low, high = (float(each) for each in image.convert("F").getextrema())  # type: ignore[arg-type]
        image = image.convert("F").point(lambda value: (value - low) * (255 / max(high - low, 1.0)))
    return image.convert("L")


def _weight(result: OcrResult) -> float:
    """Weigh a reading by what was read with confidence: noise makes many words, but none it is sure of."""
    return sum(len(word.text) * word.confidence**2 for word in result.words) * result.confidence


def _reads_sideways(result: OcrResult) -> bool:
    """Say whether most longer words are higher than wide: Tesseract reads some lines that run up or down the page."""
    long = [word for word in result.words if len(word.text) >= 4]
    high = sum(1 for word in long if word.bottom - word.top > word.right - word.left)
    return len(long) > 3 and high > 0.6 * len(long)


def _turn_back(result: OcrResult, skew: float) -> OcrResult:
    """Map the boxes of a straightened image back to the slanted one, which was turned about its middle."""
    sine, cosine = math.sin(math.radians(skew)), math.cos(math.radians(skew))
    middle_x, middle_y = result.width / 2, result.height / 2

    def back(word: OcrWord) -> OcrWord:
        # Only the middle is turned and the size kept: the box around a turned word would be higher than its line.
        x = (word.left + word.right) / 2 - middle_x
        y = (word.top + word.bottom) / 2 - middle_y
        x, y = x * cosine - y * sine + middle_x, x * sine + y * cosine + middle_y
        half_width, half_height = (word.right - word.left) / 2, (word.bottom - word.top) / 2
        return replace(
            word,
            left=max(0, round(x - half_width)),
            top=max(0, round(y - half_height)),
            right=min(result.width, round(x + half_width)),
            bottom=min(result.height, round(y + half_height)),
        )

    return replace(result, words=tuple(back(word) for word in result.words))
