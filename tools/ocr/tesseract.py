"""OCR with the program Tesseract."""

import contextlib
import io
import os
import re
import subprocess
import time
from dataclasses import replace

import numpy as np
from PIL import Image

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.images import estimate_skew, flatten, ink_share, tightened, without_rules

_PROGRAM = "tesseract"
_INSTALL = "Install it (Debian, Ubuntu: apt-get install tesseract-ocr; macOS: brew install tesseract) and try again."

# An upright, clean page has a confidence of about 0.95; a page on its side or upside down has less than 0.6.
_SURE_CONFIDENCE = 0.70
_UNCLEAR_CONFIDENCE = 0.85
_LEAST_SKEW_DEGREES = 0.3
_BLANK_INK = 0.0001
# The models were trained on capitals about 30 pixels high; much smaller text is read better if it is enlarged.
_SMALL_WORD_PX = 16
_MAX_ENLARGED_PX = 30_000_000
_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
# The exit statuses of a program that lacks libraries or cannot be executed.
_NOT_STARTED = (126, 127)


class _OutOfTime(Unavailable):
    """Tesseract did not finish an image within its time limit."""


class TesseractOcr:
    """Reads page images with the program Tesseract, with one thread per image.

    Small slants are corrected before reading, and rotations (by 90°, 180° or 270°) are tried if little could be read.
    ``language`` is Tesseract's code ("eng", "eng+deu"); ``timeout_s`` applies to all attempts on one image together.
    """

    def __init__(self, language: str = "eng", timeout_s: float = 60.0) -> None:
        self._language = language
        self._timeout_s = timeout_s

    def read(self, image: Image.Image) -> OcrResult:
        grey = flatten(image)
        if ink_share(grey) < _BLANK_INK:
            return OcrResult(words=(), width=grey.width, height=grey.height, blank=True)
        deadline = time.monotonic() + self._timeout_s
        best = self._look(grey, deadline)
        sideways = _reads_sideways(best)
        if best.confidence >= _SURE_CONFIDENCE and len(best.words) > 3 and not sideways:
            return best
        try:
            for rotation in self._likely_turns(grey, self._left_s(deadline)):
                turned = self._look(grey.transpose(_TURNS[rotation]), deadline)
                turned = replace(turned, rotation=rotation, given_width=grey.width, given_height=grey.height)
                # Vertical lines may be read well, but columns and rows can be found only from horizontal lines.
                if _weight(turned) > (0.8 if sideways and not _reads_sideways(turned) else 1.0) * _weight(best):
                    best, sideways = turned, False
                if best.confidence >= _SURE_CONFIDENCE and not sideways:
                    break
        except _OutOfTime:
            pass
        return best

    def _left_s(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise _OutOfTime(f"tesseract did not finish an image within {self._timeout_s:g} s.")
        return left

    def _look(self, grey: Image.Image, deadline: float) -> OcrResult:
        skew = estimate_skew(grey)
        if abs(skew) < _LEAST_SKEW_DEGREES:
            return self._read_sized(grey, deadline)
        # The image is expanded, because otherwise the corners of the rotated page would be cut off.
        straight = grey.rotate(skew, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        result = self._read_sized(straight, deadline)
        return replace(result, skew=skew, given_width=grey.width, given_height=grey.height)

    def _read_sized(self, grey: Image.Image, deadline: float) -> OcrResult:
        grey = without_rules(grey)
        result = self._read_scaled(grey, 1, deadline)
        heights = sorted(word.bottom - word.top for word in result.words)
        small = not heights or heights[len(heights) // 2] < _SMALL_WORD_PX
        if small and result.confidence < _UNCLEAR_CONFIDENCE and grey.width * grey.height * 4 <= _MAX_ENLARGED_PX:
            with contextlib.suppress(_OutOfTime):
                return max(result, self._read_scaled(grey, 2, deadline), key=_weight)
        return result

    def _read_scaled(self, grey: Image.Image, scale: int, deadline: float) -> OcrResult:
        size = (grey.width * scale, grey.height * scale)
        image = grey.resize(size, Image.Resampling.LANCZOS) if scale > 1 else grey
        pixels = np.asarray(image)
        words = [tightened(word, pixels) for word in self._recognise(image, self._left_s(deadline))]
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

    def _recognise(self, image: Image.Image, timeout_s: float) -> tuple[OcrWord, ...]:
        done = self._run(image, timeout_s, "-l", self._language, "-c", "tessedit_create_tsv=1")
        if done.returncode:
            raise Unavailable(
                f"tesseract failed for language {self._language!r}: {_error_output(done)}. Check that the "
                f"language is installed (tesseract --list-langs; Debian: apt-get install tesseract-ocr-<language>)."
            )
        head, *lines = done.stdout.decode(errors="replace").splitlines()
        rows = (dict(zip(head.split("\t"), line.split("\t"), strict=False)) for line in lines)
        return tuple(
            OcrWord(
                text=row["text"].strip(),
                left=int(row["left"]),
                top=int(row["top"]),
                right=int(row["left"]) + int(row["width"]),
                bottom=int(row["top"]) + int(row["height"]),
                confidence=min(1.0, float(row["conf"]) / 100),
                block=int(row["block_num"]),
                paragraph=int(row["par_num"]),
                line=int(row["line_num"]),
            )
            for row in rows
            if row.get("text", "").strip() and float(row["conf"]) >= 0
        )

    def _likely_turns(self, grey: Image.Image, timeout_s: float) -> tuple[int, ...]:
        done = self._run(grey, timeout_s, "-l", "osd", "--psm", "0")
        found = re.search(rb"Rotate: (\d+)", done.stdout)
        if done.returncode or found is None:
            # There are too few letters to decide, so each rotation has to be tried.
            return (90, 270, 180)
        rotation = int(found[1])
        return (rotation,) if rotation else ()

    def _run(self, image: Image.Image, timeout_s: float, *options: str) -> "subprocess.CompletedProcess[bytes]":
        """Run the program on an image through pipes, because files would be left behind if this process is killed."""
        # The pixels are not compressed, because compression would take a tenth of the OCR time.
        pixels = io.BytesIO()
        image.save(pixels, "PPM")
        # The program's threads would only compete with those of the other workers.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        command = [_PROGRAM, "stdin", "stdout", *options]
        try:
            done = subprocess.run(
                command, input=pixels.getvalue(), capture_output=True, timeout=timeout_s, env=environment, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _OutOfTime(f"tesseract did not finish an image within {self._timeout_s:g} s.") from error
        except FileNotFoundError as error:
            raise Unavailable(f"The OCR program tesseract is not installed. {_INSTALL}") from error
        except OSError as error:
            raise Unavailable(f"The OCR program tesseract is broken: {error}. {_INSTALL}") from error
        if done.returncode in _NOT_STARTED:
            raise Unavailable(f"The OCR program tesseract is broken: {_error_output(done)}. {_INSTALL}")
        return done


def _error_output(done: "subprocess.CompletedProcess[bytes]") -> str:
    return done.stderr.decode(errors="replace").strip()[:300]


def _weight(result: OcrResult) -> float:
    """Score a result by the words that were read with confidence: noise gives many words, but with low confidence."""
    return sum(len(word.text) * word.confidence**2 for word in result.words) * result.confidence


def _reads_sideways(result: OcrResult) -> bool:
    """Return whether most long words are taller than wide: engines can read some lines that run up or down the page."""
    long = [word for word in result.words if len(word.text) >= 4]
    high = sum(1 for word in long if word.bottom - word.top > word.right - word.left)
    return len(long) > 3 and high > 0.6 * len(long)
