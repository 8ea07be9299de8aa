"""The characters of text files: which encoding, or none at all."""

import codecs
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


def decode_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """Read a text file; return its text with ``\\n`` line ends, and warnings about its encoding.

    A byte order mark decides, then UTF-8; what is neither is taken for Windows-1252, with a warning.

    Raises:
        UnreadableFile: the bytes are no text, or contradict their byte order mark.
    """
    raw = path.read_bytes()
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            try:
                return _with_line_ends(raw.decode(encoding)), ()
            except UnicodeDecodeError as error:
                raise UnreadableFile(str(path), f"it begins as {encoding} but is not ({error})") from error
    unmarked = _utf16_without_mark(raw)
    if unmarked is not None:
        return _with_line_ends(unmarked), ("it is UTF-16 without a byte order mark",)
    if _is_binary(raw):
        raise UnreadableFile(str(path), "it is binary, not text")
    try:
        return _with_line_ends(raw.decode("utf-8")), ()
    except UnicodeDecodeError as error:
        text = raw.decode("cp1252", errors="replace")
        warning = f"it is not UTF-8 (byte {error.start}); read as Windows-1252: check accents and signs"
        return _with_line_ends(text), (warning,)


def _with_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\x00", "")


def _utf16_without_mark(raw: bytes) -> str | None:
    head = raw[:4_096]
    if len(head) < 8 or len(raw) % 2:
        return None
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.7 * len(zeros) and head.count(0) < 0.6 * len(head):
            try:
                return raw.decode(encoding)
            except UnicodeDecodeError:
                return None
    return None


def _is_binary(raw: bytes) -> bool:
    head = raw[:65_536]
    odd = sum(head.count(bytes([code])) for code in _CONTROLS)
    return b"\x00" in head or odd > 0.02 * len(head)
