"""The characters of text files: which encoding, or none at all."""

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from contracts.errors import UnreadableFile

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = frozenset(range(32)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B}
_INVISIBLE = re.compile("[\ufeff\x00\U000e0000-\U000e007f]")
_BLOCK_BYTES = 1024 * 1024


def decode_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """Read a text file as a whole; return its text with ``\\n`` line ends, and warnings about its encoding.

    Raises:
        UnreadableFile: as of ``open_text``.
    """
    with open_text(path) as (file, warnings):
        return cleaned(file.read()), warnings


@contextmanager
def open_text(path: Path) -> Iterator[tuple[TextIO, tuple[str, ...]]]:
    """Open a text file to be read piece by piece, with ``\\n`` line ends; give warnings about its encoding too.

    A byte order mark decides, then UTF-8; what is neither is taken for Windows-1252, with a warning. What is read
    still needs ``cleaned``.

    Raises:
        UnreadableFile: the bytes are no text, or contradict their byte order mark.
    """
    encoding, warnings = _encoding_of(path)
    errors = "replace" if encoding == "cp1252" else "strict"
    with path.open("r", encoding=encoding, errors=errors, newline=None) as file:
        yield file, warnings


def cleaned(text: str) -> str:
    """Return text without byte order marks, NULs, and the invisible letters that only models read.

    Source: Unicode's tag characters, U+E0000 to U+E007F, of use in flags only.
    """
    return _INVISIBLE.sub("", text)


def _encoding_of(path: Path) -> tuple[str, tuple[str, ...]]:
    with path.open("rb") as file:
        head = file.read(65_536)
        file.seek(0)
        for mark, encoding in _BOMS:
            if head.startswith(mark):
                error = _first_error(file, encoding)
                if error is not None:
                    raise UnreadableFile(str(path), f"it begins as {encoding} but is not ({error})")
                return encoding, ()
        if _is_binary(head):
            raise UnreadableFile(str(path), "it is binary, not text")
        file.seek(0)
        error = _first_error(file, "utf-8")
    if error is None:
        return "utf-8", ()
    return "cp1252", (f"it is not UTF-8 ({error}); read as Windows-1252: check accents and signs",)


def _first_error(file: io.BufferedReader, encoding: str) -> str | None:
    """Decode the rest of a file, keeping nothing; return what is wrong with it, None where nothing is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done = file.tell()
    try:
        while block := file.read(_BLOCK_BYTES):
            decoder.decode(block)
            done += len(block)
        decoder.decode(b"", final=True)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        return f"near byte {done + at}"
    return None


def _is_binary(head: bytes) -> bool:
    odd = sum(head.count(bytes([code])) for code in _CONTROLS)
    return b"\x00" in head or odd > 0.02 * len(head)
