"""Decodes text files, and refuses files that are not text."""

import codecs
import re
from pathlib import Path

from contracts.errors import UnreadableFile

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = frozenset(range(32)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B}
# Byte order marks, NULs, and invisible characters that only models read. Source: Unicode's tag characters, U+E0000 to
# U+E007F, used in flags only.
_INVISIBLE = re.compile("[\ufeff\x00\U000e0000-\U000e007f]")
# Bold and underlined letters of a page written for a line printer: "N", a backspace, "N" again.
_OVERSTRUCK = re.compile(rb"[^\n]\x08")
_HEAD_BYTES = 65_536


def decode_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file with ``\\n`` line ends, without invisible or overstruck characters, and warnings.

    A byte order mark determines the encoding; otherwise UTF-8 is tried, then Windows-1252, with a warning.

    Raises:
        UnreadableFile: the bytes are not text, or contradict their byte order mark.
    """
    raw = path.read_bytes()
    encoding = next((encoding for mark, encoding in _BOMS if raw.startswith(mark)), "")
    if not encoding:
        raw = _OVERSTRUCK.sub(b"", raw)
    head = raw[:_HEAD_BYTES]
    odd = sum(head.count(bytes([code])) for code in _CONTROLS)
    if not encoding and (b"\x00" in head or odd > 0.02 * len(head)):
        raise UnreadableFile(str(path), "it is binary, not text")
    warnings: tuple[str, ...] = ()
    try:
        text = raw.decode(encoding or "utf-8")
    except UnicodeError as error:
        if encoding:
            raise UnreadableFile(str(path), f"it begins like {encoding} but is not valid ({error})") from error
        place = f"near byte {error.start}" if isinstance(error, UnicodeDecodeError) else "somewhere"
        warnings = (f"it is not UTF-8 ({place}); read as Windows-1252: check accents and special characters",)
        text = raw.decode("cp1252", errors="replace")
    return _INVISIBLE.sub("", text).replace("\r\n", "\n").replace("\r", "\n"), warnings
