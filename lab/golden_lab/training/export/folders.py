"""Writing what is whole or not there."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from contracts.errors import Conflict


def see_that_free(targets: Sequence[Path], *, force: bool) -> None:
    """See that nothing stands at ``targets``; with ``force`` it may.

    Raises:
        Conflict: something does; the text names it.
    """
    taken = [str(each) for each in targets if each.exists()]
    if taken and not force:
        raise Conflict(f"{', '.join(taken)} is there already: choose another --name or --out, or replace it by --force")


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Give a place beside ``target`` to write a file or a folder at, and put it into its place when the block ends.

    What stood there before is replaced then, and not before; where the block fails, nothing has changed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    replaced = target.with_name(f".{target.name}.{os.getpid()}.replaced")
    _remove(unfinished)
    try:
        yield unfinished
        if target.is_dir():
            # A folder cannot be replaced in one step.
            target.rename(replaced)
            try:
                unfinished.rename(target)
            except OSError:
                replaced.rename(target)
                raise
        else:
            unfinished.replace(target)
    finally:
        _remove(unfinished)
        if target.exists():
            _remove(replaced)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        with suppress(FileNotFoundError):
            path.unlink()
