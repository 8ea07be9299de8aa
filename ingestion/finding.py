"""Files to ingest: what lies in the given folders, and why some of it is left alone."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import UnreadableFile
from ingestion.archives import ARCHIVE_SUFFIXES, is_archive, list_members, member_path
from ingestion.limits import IngestionLimits
from ingestion.readers import SUPPORTED_SUFFIXES

# Word and LibreOffice keep such files beside a document while it is open.
_LOCK_PREFIXES = ("~$", ".~lock")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file by its absolute path; ``skipped`` says why it is left alone, ``missing`` that it is not there.

    A file inside of an archive has a path such as ``/data/archive.zip!/folder/file.pdf``. What came from elsewhere and
    only waits on disk to be read is kept in the library under ``stored_path`` and ``stored_name`` instead.
    """

    path: Path
    skipped: str = ""
    missing: bool = False
    stored_path: str = ""
    stored_name: str = ""

    @property
    def place(self) -> str:
        """The path under which the library keeps it."""
        return self.stored_path or str(self.path)

    @property
    def name(self) -> str:
        """The name under which it is shown."""
        return self.stored_name or self.path.name


def find_files(paths: Sequence[Path], limits: IngestionLimits | None = None) -> list[FoundFile]:
    """Find the files at and below ``paths`` and in archives there, each once, in the order of their absolute paths.

    Hidden files and folders are skipped below a folder; named directly, they are taken. An archive that cannot be
    opened is given as a file, so that reading it says why.
    """
    limits = limits or IngestionLimits()
    found: dict[Path, FoundFile] = {}
    for path in paths:
        absolute = path.expanduser().resolve()
        if absolute.is_dir():
            for each in _walk(absolute):
                _add(found, each, limits)
        elif absolute.exists():
            _add(found, FoundFile(absolute, _unsupported(absolute)), limits)
        else:
            found[absolute] = FoundFile(absolute, missing=True)
    return sorted(found.values(), key=lambda each: str(each.path))


def _add(found: dict[Path, FoundFile], file: FoundFile, limits: IngestionLimits) -> None:
    if file.skipped or not is_archive(file.path):
        found.setdefault(file.path, file)
        return
    try:
        members = list_members(file.path, limits)
    except UnreadableFile:
        found.setdefault(file.path, file)
        return
    if not members:
        found.setdefault(file.path, FoundFile(file.path, "the archive is empty"))
    for member in members:
        path = member_path(file.path, member.name)
        found.setdefault(path, FoundFile(path, member.skipped or _unsupported(path)))


def _walk(folder: Path) -> Iterator[FoundFile]:
    for parent, folders, files in os.walk(folder):
        for name in sorted(name for name in folders if name.startswith(".")):
            yield FoundFile(Path(parent) / name, "a hidden folder")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(parent) / name
            if name.startswith(_LOCK_PREFIXES):
                yield FoundFile(path, "a lock file of an open document")
            elif name.startswith("."):
                yield FoundFile(path, "a hidden file")
            elif not path.is_file():
                yield FoundFile(path, "not a regular file")
            else:
                yield FoundFile(path.resolve() if path.is_symlink() else path, _unsupported(path))


def _unsupported(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return "its name, or that of a folder above it, is not valid UTF-8: rename it"
    if path.suffix.lower() in SUPPORTED_SUFFIXES or path.suffix.lower() in ARCHIVE_SUFFIXES:
        return ""
    supported = sorted((*SUPPORTED_SUFFIXES, *ARCHIVE_SUFFIXES))
    return f"its kind is not read; supported: {', '.join(supported)}"


def lies_below(path: Path, roots: Sequence[Path]) -> bool:
    """Say whether ``path`` is one of ``roots``, stands below such a folder that is there, or in such an archive."""
    above = {str(parent) for parent in path.parents}
    return any(path == root or f"{root}!" in above or (str(root) in above and root.is_dir()) for root in roots)


def document_id(place: Path | str) -> str:
    """Return the id of the document that is kept under an absolute path."""
    return hashlib.sha256(str(place).encode("utf-8", "surrogateescape")).hexdigest()[:16]
