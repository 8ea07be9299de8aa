"""Books (EPUB): the XHTML files of the spine in reading order, each as a page."""

import posixpath
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import ZIP_DAMAGES, open_container, parse_xml
from ingestion.readers.html import markup_blocks
from ingestion.readers.pictures import PictureReader
from tools.ocr import OcrEngine

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_MARKUP = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_MOST_XML_BYTES = 16 * 1024 * 1024
_PICTURE_BYTES = 64 * 1024 * 1024


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the parts of a book's spine; a part that cannot be read is returned empty, with a warning.

    Raises:
        UnreadableFile: the file is damaged, locked by rights management, or too large when unpacked.
    """
    pictures = PictureReader(limits, ocr)
    with open_container(path, limits) as archive:
        _, parts, notes = _read_package(path, archive)
        if len(parts) > limits.pages:
            reason = f"it has {len(parts)} parts, more than the {limits.pages} allowed; split it"
            raise UnreadableFile(str(path), reason)
        _refuse_locked(path, archive, parts)
        for number, name in enumerate(parts, start=1):
            yield _read_part(archive, name, number, pictures, limits, notes)
            notes = ()


def title(path: Path) -> str:
    """Return the title in the book's package file, or ""."""
    with zipfile.ZipFile(path) as archive:
        return _read_package(path, archive)[0]


def _read_part(
    archive: zipfile.ZipFile,
    name: str,
    number: int,
    pictures: PictureReader,
    limits: IngestionLimits,
    notes: tuple[str, ...],
) -> Page:
    def fetch(address: str) -> bytes | None:
        return _content(archive, _resolved(name, address), _PICTURE_BYTES)

    raw = _content(archive, name, limits.markup_bytes)
    if raw is None:
        return Page(number=number, blocks=(), warnings=(*notes, f"part {number}, {name}, is missing or damaged"))
    try:
        blocks, hidden = markup_blocks(raw, number, pictures, fetch)
    except RecursionError:
        return Page(number=number, blocks=(), warnings=(*notes, f"part {number}, {name}, is nested too deeply"))
    return pictures.page(Page(number=number, blocks=blocks, warnings=(*notes, *hidden)))


def _read_package(path: Path, archive: zipfile.ZipFile) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the title, the parts' names in the zip in reading order, and warnings."""
    container = _xml(path, archive, _CONTAINER)
    root_file = next((each.get("full-path") for each in container.iter("{*}rootfile") if each.get("full-path")), None)
    if root_file is None:
        raise UnreadableFile(str(path), f"its {_CONTAINER} names no package file")
    package = _xml(path, archive, root_file)
    items = {each.get("id"): each for each in package.iter("{*}manifest/{*}item", "{*}item")}
    parts, missing = [], 0
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or not item.get("href"):
            missing += 1
        elif item.get("media-type", _MARKUP[0]) in _MARKUP and "nav" not in (item.get("properties") or "").split():
            parts.append(_resolved(root_file, item.get("href")))
    named = next((each.text for each in package.iter("{http://purl.org/dc/elements/1.1/}title")), None)
    warnings = (f"{missing} parts of its reading order are not in its manifest",) if missing else ()
    return " ".join((named or "").split()), tuple(dict.fromkeys(parts)), warnings


def _refuse_locked(path: Path, archive: zipfile.ZipFile, parts: tuple[str, ...]) -> None:
    if _ENCRYPTION not in archive.namelist():
        return
    for reference in _xml(path, archive, _ENCRYPTION).iter("{*}CipherReference"):
        if urllib.parse.unquote(reference.get("URI", "")) in parts:
            raise UnreadableFile(str(path), "it is locked by rights management (DRM): only its owner can open it")


def _xml(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    raw = _content(archive, name, _MOST_XML_BYTES)
    if raw is None:
        raise UnreadableFile(str(path), f"it is not an EPUB, or is damaged: {name} is missing or unreadable")
    try:
        root = parse_xml(raw, recover=True)
    except SyntaxError as error:
        raise UnreadableFile(str(path), f"its {name} is not valid XML ({error})") from error
    if root is None:
        raise UnreadableFile(str(path), f"its {name} is not valid XML")
    return root


def _content(archive: zipfile.ZipFile, name: str, most_bytes: int) -> bytes | None:
    """Return a member's bytes; None if it is missing, larger than ``most_bytes``, or damaged."""
    try:
        part = archive.getinfo(name)
        return archive.read(part) if part.file_size <= most_bytes else None
    except (KeyError, *ZIP_DAMAGES):
        return None


def _resolved(base: str, address: str) -> str:
    """Return a file's name in the zip from its address relative to ``base``; one that leads out matches no member."""
    plain = urllib.parse.unquote(urllib.parse.urldefrag(address).url)
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), plain))
