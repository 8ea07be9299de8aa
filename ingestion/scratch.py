"""Folders for copies of files: gone when they are no longer wanted, even if their process was killed."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_PREFIX = "golden-scratch-"
_LOCK = ".lock"
# Between a folder and its lock there is a moment.
_LEAST_AGE_S = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder, removed with all in it at the end."""
    with TemporaryDirectory(prefix=_PREFIX) as name, (Path(name) / _LOCK).open("w") as lock:
        # The lock goes with the process, however it ends.
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(name)


def remove_abandoned_folders() -> None:
    """Remove the scratch folders of processes that were killed. Blocking."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        # Those of other users, and those that another process removes right now, are left.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _LEAST_AGE_S:
                continue
            with (folder / _LOCK).open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
