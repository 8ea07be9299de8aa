"""Ingestion on a terminal: the progress bar and the report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from ingestion.reports import IngestionReport
    from ingestion.reports import Progress as IngestionProgress

_CONSOLE = Console(stderr=True, highlight=False)


@contextmanager
def progress_bar() -> "Iterator[Callable[[IngestionProgress], None]]":
    """Show a live bar on standard error; yield the callback that moves it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("files · {task.fields[pages]} pages"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_CONSOLE, transient=False) as bar:
        task = bar.add_task("Reading", total=None, pages=0)

        def show(progress: "IngestionProgress") -> None:
            description = f"{progress.phase:<10} {escape(Path(progress.current).name[:40]):<40}"
            bar.update(
                task,
                total=progress.files_total,
                completed=progress.files_done,
                pages=progress.pages,
                description=description,
            )

        yield show


def print_report(report: "IngestionReport") -> None:
    """Print a line for each file that was not simply unchanged, with its warnings, and the sums."""
    for file in report.files:
        if file.status == "unchanged":
            continue
        name = escape(_printable(_short(file.path)))
        if file.status == "ingested":
            scanned = f", {file.ocr_pages} by OCR" if file.ocr_pages else ""
            _CONSOLE.print(
                f"[green]read[/green]     {name}: {file.pages} pages{scanned}, {file.chunks} chunks", soft_wrap=True
            )
        else:
            colour = "red" if file.status == "failed" else "yellow"
            _CONSOLE.print(f"[{colour}]{file.status:<8}[/{colour}] {name}: {escape(file.reason)}", soft_wrap=True)
        for warning in file.warnings:
            _CONSOLE.print(f"         [yellow]{escape(warning)}[/yellow]", soft_wrap=True)
    _CONSOLE.print(summary(report))


def _short(path: str) -> str:
    """Return ``path`` as seen from the current folder where it lies below it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def summary(report: "IngestionReport") -> str:
    """Return the report's sums in one line."""
    counts: dict[str, int] = {}
    for file in report.files:
        counts[file.status] = counts.get(file.status, 0) + 1
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no files found"


def report_as_json(report: "IngestionReport") -> dict[str, Any]:
    """Return the report as plain JSON values."""
    import dataclasses

    files = [{**dataclasses.asdict(file), "path": _printable(file.path)} for file in report.files]
    return {"files": files}


def _printable(path: str) -> str:
    # A name may hold bytes that are no UTF-8: no stream takes them as they are.
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
