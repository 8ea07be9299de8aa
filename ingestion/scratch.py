"""Folders for temporary copies of files, which are removed even if their process is killed."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_PREFIX = "golden-scratch-"
_LOCK = ".lock"
# A folder exists for a moment before it is locked.
_LEAST_AGE_S = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder, which is removed with its content at the end."""
    with TemporaryDirectory(prefix=_PREFIX) as name, (Path(name) / _LOCK).open("w") as lock:
        # The lock ends with the process, even if the process is killed.
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(name)


def remove_abandoned_folders() -> None:
    """Remove the scratch folders of processes that were killed. Blocking."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        # Folders of other users, and those that another process is removing, are left alone.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _LEAST_AGE_S:
                continue
            with (folder / _LOCK).open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
