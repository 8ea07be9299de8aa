"""Progress of a command on standard error: a bar in a terminal, otherwise a line from time to time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

_PLAIN_EVERY_S = 10.0

# Takes a line, the amount done, the total (0: unknown), and whether the line must be shown.
Show = Callable[[str, int, int, bool], None]


@contextmanager
def shown_progress() -> Iterator[Show]:
    """Yield a function that shows the progress."""
    console = Console(stderr=True, highlight=False)
    if console.is_terminal:
        columns = (BarColumn(bar_width=24), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task("loading", total=None)
            yield lambda line, done, total, _: bar.update(
                task, description=escape(line), completed=done, total=total or None
            )
        return
    last = -_PLAIN_EVERY_S

    def show(line: str, done: int, total: int, important: bool) -> None:
        nonlocal last
        if important or 0 < total == done or time.monotonic() - last >= _PLAIN_EVERY_S:
            last = time.monotonic()
            console.print(line, markup=False, soft_wrap=True)

    yield show
