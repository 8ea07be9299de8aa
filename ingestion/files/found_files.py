"""Files to ingest: the content of the given folders, and why some of it is skipped."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.errors import UnreadableFile
from ingestion.files.archives import (
    ARCHIVE_SUFFIXES,
    SPHINX_INDEX,
    SPHINX_SOURCES,
    is_archive,
    list_members,
    member_path,
    split_member,
)
from ingestion.limits import IngestionLimits
from ingestion.readers import SUPPORTED_SUFFIXES

# Word and LibreOffice keep such files next to a document while it is open.
_LOCK_PREFIXES = ("~$", ".~lock")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file by its absolute path; ``skipped`` is the reason for skipping it, ``missing`` means that it does not exist.

    ``size_bytes`` and ``modified_ns`` show quickly whether it changed; 0 if unknown. A file inside an archive has the
    archive's modification time, and a path such as ``/data/archive.zip!/folder/file.pdf``.
    """

    path: Path
    skipped: str = ""
    missing: bool = False
    size_bytes: int = 0
    modified_ns: int = 0

    @property
    def place(self) -> str:
        """The path under which the library stores it."""
        return str(self.path)

    @property
    def name(self) -> str:
        return self.path.name


def find_files(paths: Sequence[Path], limits: IngestionLimits | None = None) -> Iterator[FoundFile]:
    """Find the files at and under ``paths`` and in archives there, each once, folder by folder, sorted by name.

    Hidden files, hidden folders, links and the sources of Sphinx's web pages are skipped inside a folder; if named
    directly, they are read, like a file in an archive ("/data/archive.zip!/file.pdf"). An archive that cannot be opened
    is returned as a file, so that reading it reports the reason.
    """
    limits = limits or IngestionLimits()
    roots = sorted({path.expanduser().resolve() for path in paths})
    for root in roots:
        member = split_member(root)
        if member is not None and member[0].is_file():
            if not any(other in root.parents or other == member[0] for other in roots):
                yield from (file for file in _opened(FoundFile(member[0]), limits) if file.path == root)
        elif not root.exists():
            yield FoundFile(root, missing=True)
        elif any(other in root.parents and not _is_skipped(other, root) for other in roots):
            continue
        elif root.is_dir():
            for file in _walk(root):
                yield from _opened(file, limits)
        else:
            yield from _opened(FoundFile(root, _unsupported(root)), limits)


def _is_skipped(folder: Path, path: Path) -> bool:
    """Return whether a walk through ``folder`` skips ``path``, which was named directly."""
    between = [each for each in (path, *path.parents) if folder in each.parents]
    return path.name.startswith(_LOCK_PREFIXES) or any(map(_why_skipped, between))


def _why_skipped(folder: Path) -> str:
    """Return why a walk skips ``folder``, "" if it does not."""
    if folder.name.startswith("."):
        return "a hidden folder"
    if folder.name == SPHINX_SOURCES and (folder.parent / SPHINX_INDEX).is_file():
        return "the sources of the web pages beside it: name the folder itself to read it"
    return ""


def _opened(file: FoundFile, limits: IngestionLimits) -> Iterator[FoundFile]:
    """Yield a file, or the files in an archive, with the size and time that show quickly whether they changed."""
    if file.skipped:
        yield file
        return
    stamped = _stamped(file)
    if not is_archive(file.path):
        yield stamped
        return
    try:
        members = list_members(file.path, limits)
    except UnreadableFile:
        yield file
        return
    if not members:
        yield FoundFile(file.path, "the archive is empty")
    for member, why in members:
        path = member_path(file.path, member.filename)
        skipped, changed = why or _unsupported(path), stamped.modified_ns
        yield FoundFile(path, skipped, size_bytes=member.file_size, modified_ns=changed)


def _stamped(file: FoundFile) -> FoundFile:
    try:
        stat = file.path.stat()
    except OSError:
        # The error is reported when the file is read.
        return file
    return replace(file, size_bytes=stat.st_size, modified_ns=stat.st_mtime_ns)


def _walk(folder: Path) -> Iterator[FoundFile]:
    closed: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=closed.append):
        skipped = {name: why for name in sorted(folders) if (why := _why_skipped(Path(parent) / name))}
        yield from (FoundFile(Path(parent) / name, why) for name, why in skipped.items())
        folders[:] = sorted(set(folders) - set(skipped))
        for name in folders:
            if (Path(parent) / name).is_symlink():
                yield FoundFile(Path(parent) / name, "a link to a folder: name the folder itself to read it")
        for name in sorted(files):
            path = Path(parent) / name
            if name.startswith(_LOCK_PREFIXES):
                yield FoundFile(path, "a lock file of an open document")
            elif name.startswith("."):
                yield FoundFile(path, "a hidden file")
            elif path.is_symlink():
                yield FoundFile(path, "a link: name its target to read it")
            elif not path.is_file():
                yield FoundFile(path, "not a regular file")
            else:
                yield FoundFile(path, _unsupported(path))
    for error in closed:
        yield FoundFile(Path(error.filename), f"the folder cannot be opened ({error.strerror}): nothing in it was read")


def _unsupported(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return "its name, or that of a folder above it, is not valid UTF-8: rename it"
    if path.suffix.lower() in SUPPORTED_SUFFIXES or path.suffix.lower() in ARCHIVE_SUFFIXES:
        return ""
    supported = sorted((*SUPPORTED_SUFFIXES, *ARCHIVE_SUFFIXES))
    return f"files of this kind cannot be read; supported: {', '.join(supported)}"


def lies_below(path: Path, roots: Sequence[Path]) -> bool:
    """Return whether ``path`` is one of ``roots``, or inside one that is an existing folder or archive."""
    above = {str(parent) for parent in path.parents}
    return any(path == root or f"{root}!" in above or (str(root) in above and root.is_dir()) for root in roots)
