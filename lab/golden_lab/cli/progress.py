"""A run of the bench on a terminal: the progress bar."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from golden_lab.runner import Progress as BenchProgress

_EVERY_S = 30.0


@contextmanager
def progress_bar() -> "Iterator[Callable[[BenchProgress], None]]":
    """Show a live bar on standard error (a line now and then where that is no terminal); yield what moves it."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _Lines(console).show
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=8),
        TextColumn("{task.fields[cases]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        tasks = {}

        def show(progress: "BenchProgress") -> None:
            name = progress.benchmark
            if name not in tasks:
                description = f"{progress.number:>2}/{progress.benchmarks} {escape(name[:26]):<26}"
                tasks[name] = bar.add_task(description, total=None, cases="preparing")
            if progress.cases is not None:
                if bar.tasks[tasks[name]].total is None:
                    # What an earlier run measured took no time of this one: the remaining time is told without it.
                    bar.reset(tasks[name], total=progress.cases - progress.stored)
                cases = f"case {progress.done:,} of {progress.cases:,}"
                bar.update(tasks[name], completed=progress.done - progress.stored, cases=cases)

        yield show


class _Lines:
    """Says a line at the begin of each benchmark, at its end, and every half minute between."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = time.monotonic()
        self._said = 0.0

    def show(self, progress: "BenchProgress") -> None:
        now = time.monotonic()
        ends = progress.cases is None or progress.done == progress.cases
        if not ends and now - self._said < _EVERY_S:
            return
        self._said = now
        where = "preparing" if progress.cases is None else f"case {progress.done:,} of {progress.cases:,}"
        elapsed = time.strftime("%H:%M:%S", time.gmtime(now - self._begun))
        self._console.print(
            f"{elapsed} {progress.number}/{progress.benchmarks} {escape(progress.benchmark)}: {where}", soft_wrap=True
        )
