"""Files to ingest: what lies in the given folders, and why some of it is left alone."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import UnreadableFile
from ingestion.readers import SUPPORTED_SUFFIXES

# Word and LibreOffice keep such files beside a document while it is open.
_LOCK_PREFIXES = ("~$", ".~lock")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file by its absolute path; ``skipped`` says why it is left alone, ``missing`` that it is not there."""

    path: Path
    skipped: str = ""
    missing: bool = False


def find_files(paths: Sequence[Path]) -> list[FoundFile]:
    """Find the files at and below ``paths``, each once, in the order of their absolute paths.

    Hidden files and folders are skipped below a folder; named directly, they are taken.
    """
    found: dict[Path, FoundFile] = {}
    for path in paths:
        absolute = path.expanduser().resolve()
        if absolute.is_dir():
            for each in _walk(absolute):
                found.setdefault(each.path, each)
        elif absolute.exists():
            found[absolute] = FoundFile(absolute, _unsupported(absolute))
        else:
            found[absolute] = FoundFile(absolute, missing=True)
    return sorted(found.values(), key=lambda each: str(each.path))


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
    if path.suffix.lower() in SUPPORTED_SUFFIXES:
        return ""
    return f"its kind is not read; supported: {', '.join(SUPPORTED_SUFFIXES)}"


def hash_content(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hex.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableFile(str(path), f"it cannot be opened ({error.strerror or error})") from error


def document_id(path: Path) -> str:
    """Return the id of the document at an absolute path."""
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
