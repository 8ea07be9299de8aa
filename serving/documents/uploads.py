"""Uploaded files: checked by name and size, and stored in the documents folder completely or not at all."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from contracts.errors import InvalidInput, Unavailable
from ingestion.files.archives import split_member
from serving.problems import RequestTooLarge

MAX_FILES = 1_000
_MAX_NAME_BYTES = 255
_MIB = 1024 * 1024
_DRAFTS = ".upload-"
_DRAFTS_KEPT_S = 24 * 3600.0
_GROUP = re.compile(r"\w[\w .-]{0,63}")


def check_group(group: str) -> str:
    """Return the name of a group if it can be used in a path. Raises ``InvalidInput`` if it cannot."""
    if not _GROUP.fullmatch(group) or group != group.strip() or ".." in group:
        raise InvalidInput(
            f"group: {group!r} is not a valid group name: use up to 64 letters, digits, spaces, dots and dashes",
            field="group",
        )
    return group


def check_name(name: str | None) -> str:
    """Return the bare name of an uploaded file. Raises ``InvalidInput`` if that is too long or not a plain name."""
    # Some browsers send the whole path on the user's machine.
    bare = (name or "").replace("\\", "/").rpartition("/")[2]
    if not bare.strip(". ") or bare.startswith(".") or not bare.isprintable():
        raise InvalidInput(f"files: {name!r} is not a plain file name: rename it", field="files")
    if len(bare.encode("utf-8", "surrogateescape")) > _MAX_NAME_BYTES:
        raise InvalidInput(f"files: the name {bare[:40]!r}… is longer than {_MAX_NAME_BYTES} bytes", field="files")
    return bare


def keep_uploads(uploads: Sequence[tuple[str, BinaryIO]], folder: Path) -> tuple[Path, ...]:
    """Store the files in ``folder``, replacing those with the same names; return their paths. Blocking.

    Raises:
        InvalidInput: two of them have the same name.
        Unavailable: they cannot be written, for instance because the disk is full; then none of them is kept.
    """
    names = [name for name, _ in uploads]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"files: two files are called {twice!r}: rename one of them", field="files")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"{_DRAFTS}*"):
            # Left by a server that was killed.
            if left.stat().st_mtime < time.time() - _DRAFTS_KEPT_S:
                shutil.rmtree(left, ignore_errors=True)
        # Hidden, so that no ingestion of the folder reads half a file.
        with tempfile.TemporaryDirectory(prefix=_DRAFTS, dir=folder) as drafts:
            for number, (_, content) in enumerate(uploads):
                with (Path(drafts) / str(number)).open("wb") as file:
                    shutil.copyfileobj(content, file)
                    file.flush()
                    os.fsync(file.fileno())
            for number, name in enumerate(names):
                (Path(drafts) / str(number)).replace(folder / name)
    except OSError as error:
        raise Unavailable(f"the files cannot be stored in {folder}: {error.strerror or error}") from error
    return tuple((folder / name).resolve() for name in names)


def uploaded_file(path: Path) -> Path:
    """Return the file of a document: ``path``, or the archive that it is in."""
    inside = split_member(path)
    return inside[0] if inside is not None else path


def expect_room(folder: Path, sizes: Sequence[int], most_bytes: int) -> None:
    """Check that ``folder`` and files of this size together do not exceed ``most_bytes``. Blocking.

    Raises:
        RequestTooLarge: they do not fit; the text states how much is stored, and how to make room.
    """
    kept, more = 0, sum(sizes)
    for place, _, names in os.walk(folder):
        for name in names:
            # Another upload may store its files in the meantime.
            with suppress(FileNotFoundError):
                kept += (Path(place) / name).stat().st_size
    if kept + more > most_bytes:
        raise RequestTooLarge(
            f"files: with these {more / _MIB:,.1f} MiB, all uploads ({kept / _MIB:,.1f} MiB so far) would exceed the "
            f"{most_bytes / _MIB:,.1f} MiB of GOLDEN_UPLOAD_QUOTA_MB: raise it, or delete what is not needed from "
            "the folder documents in the server's data folder."
        )
