"""OCR by the program Tesseract."""

import functools
import io
import os
import re
import subprocess

from PIL import Image

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.orientation import OutOfTime, UprightReader

_PROGRAM = "tesseract"
_INSTALL = "Install it (Debian, Ubuntu: apt-get install tesseract-ocr; macOS: brew install tesseract) and try again."

# An upright, clean page reads at about .95; a page that lies on its side or upside down below .6.
_SURE_CONFIDENCE = 0.70
_VERSION_S = 30.0


class TesseractOcr:
    """Reads page images with the program Tesseract, one thread per image.

    Small slants are straightened before reading and large turns (90°, 180°, 270°) are looked for where little could be
    read. ``language`` is Tesseract's name of it ("eng", "eng+deu"); ``timeout_s`` holds for all that is tried on one
    image together.
    """

    def __init__(self, language: str = "eng", timeout_s: float = 60.0) -> None:
        self._language = language
        self._timeout_s = timeout_s

    def read(self, image: Image.Image) -> OcrResult:
        return UprightReader(self._recognise, self._likely_turns, self._timeout_s, _SURE_CONFIDENCE).read(image)

    def _recognise(self, image: Image.Image, timeout_s: float) -> tuple[OcrWord, ...]:
        done = self._run(image, timeout_s, "-l", self._language, "-c", "tessedit_create_tsv=1")
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()[:300]
            raise Unavailable(
                f"tesseract failed for language {self._language!r}: {said}. Check that the "
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
            # Too few letters to tell: each turn has to be read.
            return (90, 270, 180)
        rotation = int(found[1])
        return (rotation,) if rotation else ()

    def _run(self, image: Image.Image, timeout_s: float, *options: str) -> "subprocess.CompletedProcess[bytes]":
        """Run the program over an image. Both go through pipes: files would stay behind when this process is killed."""
        _check_program()
        # The pixels as they are: packing them takes a tenth of the OCR.
        pixels = io.BytesIO()
        image.save(pixels, "PPM")
        # The program's threads only fight those of the other workers.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        command = [_PROGRAM, "stdin", "stdout", *options]
        try:
            return subprocess.run(
                command, input=pixels.getvalue(), capture_output=True, timeout=timeout_s, env=environment, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise OutOfTime(f"tesseract did not finish an image within {self._timeout_s:g} s.") from error


@functools.cache
def _check_program() -> None:
    """Ask the program for its version.

    Raises:
        Unavailable: it is not there, or does not answer as Tesseract does.
    """
    asked = [_PROGRAM, "--version"]
    try:
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_S, check=True)
    except FileNotFoundError as error:
        raise Unavailable(f"The OCR program tesseract is not installed. {_INSTALL}") from error
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace")[:300]
        raise Unavailable(f"The OCR program tesseract is broken: {error} {said.strip()}. {_INSTALL}") from error
    if b"tesseract" not in done.stdout + done.stderr:
        raise Unavailable(f"The OCR program tesseract is broken: it does not tell its version. {_INSTALL}")
