"""Checks before a file is opened: its size, and the unpacked size of a zipped format."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from contracts.errors import UnreadableFile
from ingestion.limits import IngestionLimits

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LEAST_SUSPECT_BYTES = 64 * 1024 * 1024
# A directory entry takes 46 bytes plus the length of its name: this is enough for far more files than any document has.
# Archives so large that they need another form of directory exceed the limits anyway.
_MOST_DIRECTORY_BYTES = 16 * 1024 * 1024
_END, _END_BYTES, _MOST_COMMENT_BYTES = b"PK\x05\x06", 22, 65_535
_LOCAL_HEADER_BYTES = 30
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
ZIP_DAMAGES = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""Errors of the zip library for an archive that is damaged, or packed or locked in a way that it does not know."""


def check_size(path: Path, limits: IngestionLimits, *, is_tree: bool) -> None:
    """Refuse a file that is empty or too large; the limit is lower for formats that are parsed as one tree.

    Raises:
        UnreadableFile: with the reason.
    """
    size = path.stat().st_size
    if size == 0:
        raise UnreadableFile(str(path), "it is empty (0 bytes)")
    if is_tree and size > limits.markup_bytes:
        reason = f"it has {size:,} bytes of markup, more than the {limits.markup_bytes:,} allowed; split it"
        raise UnreadableFile(str(path), reason)
    if size > limits.file_bytes:
        reason = f"it has {size:,} bytes, more than the {limits.file_bytes:,} allowed; split it or raise the limit"
        raise UnreadableFile(str(path), reason)


def check_characters(path: Path, characters: int, limits: IngestionLimits) -> None:
    """Refuse a document with too much text: its chunks are made in memory.

    Raises:
        UnreadableFile: it has more than ``limits.characters``.
    """
    if characters > limits.characters:
        reason = f"its text has more than the {limits.characters:,} characters allowed; split it into smaller files"
        raise UnreadableFile(str(path), reason)


@contextmanager
def open_container(path: Path, limits: IngestionLimits) -> Iterator[zipfile.ZipFile]:
    """Open a zip after checking its directory: the sizes, the packing ratio, and whether entries share bytes.

    The unpacked size is the one in the zip's directory, which the zip library enforces for every part while it unpacks.

    Raises:
        UnreadableFile: it is damaged, encrypted as a whole, or too large when unpacked.
    """
    try:
        _check_directory(path)
        opened = zipfile.ZipFile(path)
    except (*ZIP_DAMAGES, ValueError) as error:
        raise UnreadableFile(str(path), f"it is damaged or cut off ({error}); save it again") from error
    with opened as archive:
        parts = archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        packed = max(1, sum(part.compress_size for part in parts))
        too_dense = unpacked > _LEAST_SUSPECT_BYTES and unpacked > limits.packing_ratio * packed
        if unpacked > limits.unpacked_bytes or too_dense:
            raise UnreadableFile(str(path), f"it unpacks to {unpacked:,} bytes: a zip bomb, or far too large")
        placed = sorted(parts, key=lambda part: part.header_offset)
        for before, after in pairwise(placed):
            if before.header_offset + _LOCAL_HEADER_BYTES + before.compress_size > after.header_offset:
                raise UnreadableFile(str(path), "its entries overlap one another: a zip bomb, or damaged")
        yield archive


def check_container(path: Path, limits: IngestionLimits, required: str) -> None:
    """Refuse a zipped document that is damaged, encrypted, of a different kind, or too large when unpacked.

    ``required`` names the part that every file of the format has. Entities that refer to one another, which can blow up
    a small file, need no check: the libraries' parsers do not resolve them.

    Raises:
        UnreadableFile: with the reason.
    """
    with path.open("rb") as file:
        # With a password, Office writes a container in its old binary format.
        if file.read(8) == _OLE_MAGIC:
            reason = "it is encrypted, or in the old binary format; save it again without a password"
            raise UnreadableFile(str(path), reason)
    with open_container(path, limits) as archive:
        parts = archive.infolist()
        if not any(part.filename == required for part in parts):
            raise UnreadableFile(str(path), f"its content does not match its name: it has no {required}")
        if any(part.flag_bits & 0x1 for part in parts):
            raise UnreadableFile(str(path), "parts of it are encrypted; save it again without a password")


def office_title(path: Path) -> str:
    """Return the title in the properties of a zipped Office document, or ""."""
    with zipfile.ZipFile(path) as archive:
        names = (each for each in archive.namelist() if each == "docProps/core.xml" or each.endswith(".psmdcp"))
        name = next(names, None)
        return str(parse_xml(archive.read(name)).findtext(_TITLE) or "") if name else ""


def parse_xml(raw: bytes, *, recover: bool = False) -> Any:
    """Parse XML without resolving entities or fetching anything; ``recover`` parses damaged XML as far as possible.

    Raises:
        lxml.etree.XMLSyntaxError: it is not XML.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=recover)
    return etree.fromstring(raw, parser)


def _check_directory(path: Path) -> None:
    """Refuse a directory that would fill memory: the zip library reads all of it at once."""
    size = path.stat().st_size
    with path.open("rb") as file:
        tail_bytes = min(size, _END_BYTES + _MOST_COMMENT_BYTES)
        file.seek(-tail_bytes, os.SEEK_END)
        tail = file.read()
    end = tail.rfind(_END)
    if end < 0:
        raise zipfile.BadZipFile("it has no directory at its end")
    (directory_bytes,) = struct.unpack_from("<L", tail, end + 12)
    if directory_bytes > _MOST_DIRECTORY_BYTES:
        raise zipfile.BadZipFile(f"its directory alone has {directory_bytes:,} bytes")
