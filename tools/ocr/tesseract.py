"""OCR by the program Tesseract."""

import contextlib
import functools
import os
import subprocess
from collections.abc import Iterator
from typing import Any

from PIL import Image

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.upright import OutOfTime, UprightReader

_INSTALL = "Install it (Debian, Ubuntu: apt-get install tesseract-ocr; macOS: brew install tesseract) and try again."

# An upright, clean page reads at about .95; a page that lies on its side or upside down below .6.
_SURE_CONFIDENCE = 0.70
_VERSION_S = 30.0


class TesseractOcr:
    """Reads page images with Tesseract, one thread an image; pytesseract, and pandas with it, is loaded at the first.

    Small slants are straightened before reading and large turns (90°, 180°, 270°) are looked for where little could be
    read. ``language`` is Tesseract's name of it ("eng", "eng+deu"); ``timeout_s`` holds for all that is tried on one
    image together.
    """

    def __init__(self, language: str = "eng", timeout_s: float = 60.0) -> None:
        self._language = language
        self._timeout_s = timeout_s

    def read(self, image: Image.Image) -> OcrResult:
        """Read the words of ``image``.

        Raises:
            Unavailable: the program or its language file is missing, or it took longer than ``timeout_s``.
        """
        return UprightReader(self._recognise, self._likely_turns, self._timeout_s, _SURE_CONFIDENCE).read(image)

    def _recognise(self, image: Image.Image, timeout_s: float) -> tuple[OcrWord, ...]:
        import pytesseract

        with self._errors_for_people(), _one_thread():
            table: dict[str, list[Any]] = pytesseract.image_to_data(
                _unpacked(image), lang=self._language, timeout=timeout_s, output_type=pytesseract.Output.DICT
            )
        return tuple(
            OcrWord(
                text=text,
                left=table["left"][row],
                top=table["top"][row],
                right=table["left"][row] + table["width"][row],
                bottom=table["top"][row] + table["height"][row],
                confidence=min(1.0, max(0.0, float(table["conf"][row]) / 100)),
                block=table["block_num"][row],
                paragraph=table["par_num"][row],
                line=table["line_num"][row],
            )
            for row, text in enumerate(str(each).strip() for each in table["text"])
            if text and float(table["conf"][row]) >= 0
        )

    def _likely_turns(self, grey: Image.Image, timeout_s: float) -> tuple[int, ...]:
        import pytesseract

        with self._errors_for_people(), _one_thread():
            try:
                found = pytesseract.image_to_osd(
                    _unpacked(grey), timeout=timeout_s, output_type=pytesseract.Output.DICT
                )
            except pytesseract.TesseractError:
                # Too few letters to tell: each turn has to be read.
                return (90, 270, 180)
        rotation = int(found["rotate"])
        return (rotation,) if rotation else ()

    @contextlib.contextmanager
    def _errors_for_people(self) -> Iterator[None]:
        import pytesseract

        try:
            _check_program()
            yield
        except pytesseract.TesseractError as error:
            raise Unavailable(
                f"tesseract failed for language {self._language!r}: {str(error.message)[:300]}. Check that the "
                f"language is installed (tesseract --list-langs; Debian: apt-get install tesseract-ocr-<language>)."
            ) from error
        except RuntimeError as error:
            if "timeout" not in str(error):
                raise
            raise OutOfTime(f"tesseract did not finish an image within {self._timeout_s:g} s.") from error


def _unpacked(image: Image.Image) -> Image.Image:
    """Make pytesseract hand on the pixels as they are: packing them as PNG takes a tenth of the OCR."""
    plain = image.copy()
    plain.format = "PPM"
    return plain


@functools.cache
def _check_program() -> None:
    """Ask the program for its version: pytesseract asks too, and would wait for ever for one that hangs.

    Raises:
        Unavailable: it is not there, or does not answer as Tesseract does.
    """
    import pytesseract

    asked = [pytesseract.pytesseract.tesseract_cmd, "--version"]
    try:
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_S, check=True)
    except FileNotFoundError as error:
        raise Unavailable(f"The OCR program tesseract is not installed. {_INSTALL}") from error
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace")[:300]
        raise Unavailable(f"The OCR program tesseract is broken: {error} {said.strip()}. {_INSTALL}") from error
    if b"tesseract" not in done.stdout + done.stderr:
        raise Unavailable(f"The OCR program tesseract is broken: it does not tell its version. {_INSTALL}")


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    # pytesseract hands its own name ``environ`` to the program. Its threads only fight those of the other workers, and
    # setting the variable for this whole process would slow down torch, which obeys it too.
    import pytesseract

    pytesseract.pytesseract.environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    yield
