"""The progress of an ingestion: a live bar on a terminal, plain lines otherwise."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ingestion.reports import FileReport, IngestionReport
from ingestion.reports import Progress as IngestionProgress

if TYPE_CHECKING:
    from ingestion.reports import Event, FileStatus

_CONSOLE = Console(stderr=True, highlight=False)
_COLOURS = {"ingested": "green", "moved": "green", "regrouped": "green", "failed": "red"}
# How often to print a line when the output is not a terminal.
_PLAIN_EVERY_S = 10.0


class Watch:
    """Follows an ingestion, shows its progress, and counts files in order to report how far the ingestion got."""

    def __init__(self, bar: Progress | None = None) -> None:
        self._bar = bar
        self._task = bar.add_task("finding", total=None) if bar is not None else None
        self._report = IngestionReport()
        self._began = time.monotonic()
        self._next = self._began + _PLAIN_EVERY_S

    def hear(self, event: "Event") -> None:
        """Print what happened to a file, unless it was unchanged, or show the progress of the ingestion."""
        if isinstance(event, FileReport):
            self._report.add(event)
            for line in file_lines(event) if event.status != "unchanged" else ():
                _CONSOLE.print(line, soft_wrap=True)
        elif self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=progress_line(event), total=event.total, completed=event.done)
        elif time.monotonic() >= self._next and event.files_total and event.phase != "done":
            self._next = time.monotonic() + _PLAIN_EVERY_S
            _CONSOLE.print(f"{'':<9} {progress_line(event)}", soft_wrap=True)

    def report(self) -> "IngestionReport":
        self._report.seconds = time.monotonic() - self._began
        return self._report

    def show_end(self) -> None:
        _CONSOLE.print(summary(self.report()))


@contextmanager
def watching() -> Iterator[Watch]:
    """Yield an object that follows and shows an ingestion."""
    if _CONSOLE.is_terminal:
        columns = (BarColumn(bar_width=10), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=_CONSOLE, transient=True) as bar:
            yield Watch(bar)
    else:
        yield Watch()


def progress_line(progress: IngestionProgress) -> str:
    """Return the progress of an ingestion in words: files, bytes, pages, the current file and time left."""
    parts = [f"{progress.files_done}/{progress.files_total} files"]
    if progress.total is not None:
        parts.append(f"{decimal(progress.done)} of {decimal(progress.total)}")
    parts.append(f"{progress.pages} pages")
    if progress.current:
        file = next((each for each in progress.files if each.path == progress.current), None)
        of_pages = f" {file.pages}/{file.total}" if file is not None and file.total else ""
        parts.append(f"{progress.phase} {escape(shown(Path(progress.current).name)[:24])}{of_pages}")
    left = progress.seconds_left
    parts.append(f"{timedelta(seconds=round(left))} left" if left is not None else "time left unknown")
    return ", ".join(parts)


def file_lines(report: FileReport) -> Iterator[str]:
    """Yield what happened to a file as a line, then its warnings and doubtful pages, as console markup."""
    name = escape(shown(_short(report.path)))
    colour = _COLOURS.get(report.status, "yellow")
    word, details = str(report.status), shown(report.reason)
    if report.status == "ingested":
        scanned = f", {report.ocr_pages} by OCR" if report.ocr_pages else ""
        pages = "1 page" if report.pages == 1 else f"{report.pages} pages"
        word, details = "read", f"{pages}{scanned}, {report.chunks} chunks"
    yield f"[{colour}]{word:<9}[/{colour}] {name}: {escape(details)}"
    for warning in report.warnings:
        yield f"          [yellow]{escape(shown(warning))}[/yellow]"
    for page in report.poor_pages:
        yield f"          [yellow]page {page.page} should be checked: {escape(shown(page.reason))}[/yellow]"


def summary(report: "IngestionReport") -> str:
    """Return the report's totals in one line."""
    counts: list[tuple[FileStatus, int]] = sorted(report.counts.items())
    return ", ".join(f"{count} {status}" for status, count in counts) or "no files found"


def shown(text: str) -> str:
    """Return text that is safe on a terminal: invisible characters are written as their codes."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "backslashreplace").decode() for each in text
    )


def _short(path: str) -> str:
    """Return ``path`` relative to the current folder if it is inside it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
