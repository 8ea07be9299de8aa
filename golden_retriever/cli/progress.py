"""Ingestion as it is watched: a live bar on a terminal, plain lines on a pipe, a JSON line an event for programs."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ingestion.reports import FileReport, Tally, event_values, report_values
from ingestion.reports import Progress as IngestionProgress

if TYPE_CHECKING:
    from ingestion.reports import Event, FileStatus, IngestionReport

_CONSOLE = Console(stderr=True, highlight=False)
_COLOURS = {"ingested": "green", "moved": "green", "regrouped": "green", "failed": "red"}
_WORDS = {"ingested": "read"}
# On a pipe: a line that often.
_PLAIN_EVERY_S = 10.0
_JSON_EVERY_S = 0.5


class Watch:
    """Hears an ingestion and counts what it tells, so that an interrupted one can say how far it came."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._began = time.monotonic()

    def hear(self, event: "Event") -> None:
        """Count and show an event."""
        if isinstance(event, FileReport):
            self._tally.add(event)
            self.show_file(event)
        else:
            self.show_progress(event)

    def report(self) -> "IngestionReport":
        """Return the sums of what was told."""
        return self._tally.report(time.monotonic() - self._began)

    def show_file(self, report: FileReport) -> None:
        """Print what became of a file, unless it was simply unchanged, with its warnings."""
        if report.status == "unchanged":
            return
        for line in file_lines(report):
            _CONSOLE.print(line, soft_wrap=True)

    def show_progress(self, progress: IngestionProgress) -> None:
        """Show how far it is."""

    def show_end(self) -> None:
        """Print the sums."""
        _CONSOLE.print(summary(self.report()))


class BarWatch(Watch):
    """Moves a bar for the whole and one for the file at hand."""

    def __init__(self, bar: Progress) -> None:
        super().__init__()
        self._bar = bar
        self._whole = bar.add_task("finding", total=None, told="")
        self._file = bar.add_task("", total=None, told="", visible=False)

    def show_progress(self, progress: IngestionProgress) -> None:
        """Move the bars."""
        self._bar.update(
            self._whole,
            description=f"{progress.files_done}/{progress.files_total} files",
            total=progress.total,
            completed=progress.done,
            told=whole_line(progress),
        )
        name = shown(Path(progress.current).name)
        self._bar.update(
            self._file,
            visible=bool(name),
            description=f"{progress.phase} {escape(name[:24])}",
            total=progress.current_total,
            completed=progress.current_pages,
            told=f"{progress.current_pages}/{progress.current_total or '?'} pages",
        )


class PlainWatch(Watch):
    """Prints a line now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._next = time.monotonic() + _PLAIN_EVERY_S

    def show_progress(self, progress: IngestionProgress) -> None:
        """Print a line where the last one is some time ago."""
        now = time.monotonic()
        if now >= self._next and progress.files_total and progress.phase != "done":
            self._next = now + _PLAIN_EVERY_S
            files = f"{progress.files_done}/{progress.files_total} files"
            _CONSOLE.print(f"{'':<9} {files}, {whole_line(progress)}", soft_wrap=True)


class JsonWatch(Watch):
    """Prints a JSON line for each file and, now and then, for the progress."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0.0

    def show_file(self, report: FileReport) -> None:
        """Print the report of a file."""
        self._print(event_values(report))

    def show_progress(self, progress: IngestionProgress) -> None:
        """Print how far it is."""
        now = time.monotonic()
        if now >= self._next or progress.phase == "done":
            self._next = now + _JSON_EVERY_S
            self._print(event_values(progress))

    def show_end(self) -> None:
        """Print the sums."""
        self._print(report_values(self.report()))

    def _print(self, values: dict[str, object]) -> None:
        typer.echo(json.dumps(values, ensure_ascii=False))


@contextmanager
def watching(*, as_json: bool = False) -> Iterator[Watch]:
    """Give what hears and shows an ingestion; its sums are printed at the end, also where it was interrupted."""
    if as_json:
        watch: Watch = JsonWatch()
        yield watch
    elif _CONSOLE.is_terminal:
        columns = (
            TextColumn("{task.description:<34}"),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[told]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=_CONSOLE, transient=True) as bar:
            watch = BarWatch(bar)
            yield watch
    else:
        watch = PlainWatch()
        yield watch


def whole_line(progress: IngestionProgress) -> str:
    """Return the speed and the time left of an ingestion in a few words."""
    done = f"{progress.pages} pages"
    if progress.total is not None:
        of_work = progress.unit == "bytes"
        total = decimal(progress.total) if of_work else f"{progress.total} pages"
        done = f"{decimal(progress.done)} of {total}, {done}" if of_work else f"{progress.done} of {total}"
    rate = f", {progress.pages_per_s:.1f} pages/s" if progress.pages_per_s is not None else ""
    left = f", {_span(progress.seconds_left)} left" if progress.seconds_left is not None else ", time left unknown"
    return done + rate + left


def file_lines(report: FileReport) -> Iterator[str]:
    """Yield what became of a file in a line, then its warnings and doubtful pages, as console markup."""
    name = escape(shown(_short(report.path)))
    colour = _COLOURS.get(report.status, "yellow")
    told = shown(report.reason)
    if report.status == "ingested":
        scanned = f", {report.ocr_pages} by OCR" if report.ocr_pages else ""
        pages = "1 page" if report.pages == 1 else f"{report.pages} pages"
        told = f"{pages}{scanned}, {report.chunks} chunks"
    word = _WORDS.get(report.status, report.status)
    yield f"[{colour}]{word:<9}[/{colour}] {name}: {escape(told)}"
    for warning in report.warnings:
        yield f"          [yellow]{escape(shown(warning))}[/yellow]"
    for page in report.poor_pages:
        yield f"          [yellow]page {page.page} should be looked at: {escape(shown(page.reason))}[/yellow]"


def summary(report: "IngestionReport") -> str:
    """Return the report's sums in one line."""
    counts: list[tuple[FileStatus, int]] = sorted(report.counts.items())
    return ", ".join(f"{count} {status}" for status, count in counts) or "no files found"


def shown(text: str) -> str:
    """Return text as it may stand on a terminal: what is no character to be seen is written as its code."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "backslashreplace").decode() for each in text
    )


def _short(path: str) -> str:
    """Return ``path`` as seen from the current folder where it lies below it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
