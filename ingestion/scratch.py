"""Temporary folders for what is unpacked; those of processes that were killed go with the next one that makes any."""

import fcntl
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "golden-scratch-"
_OWNER = ".owner"
# Younger ones may not be locked yet.
_LEAST_AGE_S = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder of this process, which is removed at the end, or later where the process is killed."""
    _remove_once(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder, (Path(folder) / _OWNER).open("w") as owner:
        # The lock goes with the process, however that ends.
        fcntl.flock(owner, fcntl.LOCK_EX)
        inside = Path(folder) / "files"
        inside.mkdir()
        yield inside


def remove_abandoned(above: Path | None = None) -> int:
    """Remove the scratch folders of dead processes in ``above`` (None: where they are made); return how many."""
    removed = 0
    for folder in (above or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            stat = folder.lstat()
            if folder.is_symlink() or stat.st_uid != os.geteuid() or time.time() - stat.st_mtime < _LEAST_AGE_S:
                continue
            with (folder / _OWNER).open("r+") as owner:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
                removed += 1
    return removed


@functools.cache
def _remove_once(above: str) -> None:
    remove_abandoned(Path(above))
