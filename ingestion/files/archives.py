"""Archives (ZIP): each file inside is a separate document, at a path such as ``archive.zip!/folder/file.pdf``."""

import hashlib
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from contracts.errors import UnreadableFile
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import ZIP_DAMAGES, open_container
from ingestion.scratch import scratch_folder

ARCHIVE_SUFFIXES = (".zip",)
# Sphinx stores the text of every page in addition to the page, in a folder next to its search index.
SPHINX_SOURCES, SPHINX_INDEX = "_sources", "searchindex.js"

_INSIDE = re.compile(r"(?i)\.zip!/")
_DRIVE = re.compile(r"^[A-Za-z]:")
_BLOCK_BYTES = 1024 * 1024


def is_archive(path: Path) -> bool:
    """Return whether ``path`` names an archive, whose files are separate documents."""
    return path.suffix.lower() in ARCHIVE_SUFFIXES and split_member(path) is None


def member_path(archive: Path, name: str) -> Path:
    """Return the path that identifies a file in an archive."""
    return Path(f"{archive}!/{name}")


def split_member(path: Path) -> tuple[Path, str] | None:
    """Return the archive and the name inside it; None if ``path`` is an ordinary file."""
    found = _INSIDE.search(str(path))
    if found is None:
        return None
    return Path(str(path)[: found.end() - 2]), str(path)[found.end() :]


def list_members(archive: Path, limits: IngestionLimits) -> list[tuple[zipfile.ZipInfo, str]]:
    """List the files in an archive from its directory, each with the reason for skipping it ("" for none), without
    unpacking.

    Links, nested archives, encrypted members, and members whose names point outside the archive are skipped.

    Raises:
        UnreadableFile: the archive is damaged, a zip bomb, or contains more files than allowed.
    """
    with open_container(archive, limits) as opened:
        parts = [part for part in opened.infolist() if not part.is_dir()]
    if len(parts) > limits.archive_files:
        reason = f"it contains {len(parts):,} files, more than the {limits.archive_files:,} allowed; unpack it"
        raise UnreadableFile(str(archive), reason)
    # Of several members with the same name, the first counts.
    first = {part.filename: part for part in reversed(parts)}
    sites = [PurePosixPath(name).parent for name in first if PurePosixPath(name).name == SPHINX_INDEX]
    sources = tuple(f"{site / SPHINX_SOURCES}/" for site in sites)
    return [(part, _why_skipped(part, sources, limits)) for part in parts if part is first[part.filename]]


def _why_skipped(part: zipfile.ZipInfo, sources: tuple[str, ...], limits: IngestionLimits) -> str:
    name = part.filename
    pieces = re.split(r"[/\\]", name)
    if name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in pieces:
        return "its name points outside the archive"
    if "\\" in name or "" in pieces or not name.isprintable():
        return "its name is not a plain path: rename it and pack the archive again"
    if stat.S_ISLNK(part.external_attr >> 16):
        return "it is a link, not a file"
    if part.flag_bits & 0x1:
        return "it is encrypted; pack the archive again without a password"
    if any(piece.startswith(".") for piece in pieces) or pieces[0] == "__MACOSX":
        return "a hidden file"
    if name.startswith(sources):
        return "a source of the web pages beside it"
    if PurePosixPath(name).suffix.lower() in ARCHIVE_SUFFIXES:
        return "an archive inside another archive is not opened: unpack the outer one"
    if part.file_size > limits.file_bytes:
        return f"it has {part.file_size:,} bytes, more than the {limits.file_bytes:,} allowed"
    return ""


def holds(path: Path) -> bool:
    """Return whether ``path`` exists, as a file or inside an archive.

    If an archive or folder exists but cannot be read, the file counts as existing, because this may be temporary.
    """
    split = split_member(path)
    archive, name = split or (path, "")
    try:
        there = archive.exists() if split is None else archive.is_file()
    except OSError:
        return True
    if split is None or not there:
        return there
    try:
        return name in _names_in(archive, archive.stat().st_mtime_ns)
    except (UnreadableFile, OSError):
        return True


@lru_cache(maxsize=1)
def _names_in(archive: Path, modified_ns: int) -> frozenset[str]:
    """Return the names of an archive's files, cached because its members are requested one after another."""
    with open_container(archive, IngestionLimits()) as opened:
        return frozenset(opened.namelist())


def hash_content(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file, or of a file inside an archive, in hex.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    with _opened(path) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def local_copy(path: Path, limits: IngestionLimits) -> Iterator[Path]:
    """Yield a file that a reader can open: itself, or a size-limited copy from the archive.

    Raises:
        UnreadableFile: it cannot be unpacked, or ``path`` is an archive, which cannot be read as a whole.
    """
    if is_archive(path):
        list_members(path, limits)
        raise UnreadableFile(str(path), "it is an archive: its files are separate documents")
    split = split_member(path)
    if split is None:
        yield path
        return
    with scratch_folder() as folder:
        # Only the suffix matters to readers, and a name from an archive may be too long for this file system.
        copy = folder / f"member{PurePosixPath(split[1]).suffix}"
        left = limits.file_bytes
        with _opened(path) as content, copy.open("wb") as file:
            while block := content.read(_BLOCK_BYTES):
                left -= len(block)
                if left < 0:
                    reason = f"it unpacks to more than the {limits.file_bytes:,} bytes allowed"
                    raise UnreadableFile(str(path), reason)
                file.write(block)
        yield copy


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    split = split_member(path)
    what = "it cannot be opened" if split is None else "it cannot be unpacked, or its archive cannot be opened"
    try:
        if split is None:
            with path.open("rb") as file:
                yield file
        else:
            with zipfile.ZipFile(split[0]) as archive, archive.open(_part_of(path, archive, split[1])) as member:
                yield member
    except (*ZIP_DAMAGES, ValueError) as error:
        detail = (error.strerror if isinstance(error, OSError) else None) or error
        raise UnreadableFile(str(path), f"{what} ({detail})") from error


def _part_of(path: Path, archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    # The first of several with the same name, as in the list of members; zipfile itself would take the last.
    for part in archive.infolist():
        if part.filename == name:
            return part
    raise UnreadableFile(str(path), "its archive no longer contains it")
