"""A report's three files: JSON to compare with, Markdown to read in a repository, HTML to look at."""

from collections.abc import Mapping
from pathlib import Path

from evaluation.report.differences import compare
from evaluation.report.html import to_html
from evaluation.report.markdown import to_markdown
from evaluation.report.stored import to_json
from evaluation.report.values import Report


def write_report(report: Report, folder: Path, name: str, *, before: Report | None = None) -> tuple[Path, ...]:
    """Write ``name``.json, .md and .html into ``folder``, with the differences to ``before``; return their paths."""
    changes = compare(report, before) if before is not None else None
    texts = {
        ".json": to_json(report),
        ".md": to_markdown(report, changes),
        ".html": to_html(report, changes, before),
    }
    return write_texts(texts, folder, name)


def write_texts(texts: Mapping[str, str], folder: Path, name: str) -> tuple[Path, ...]:
    """Write each of ``texts`` into ``folder`` under ``name`` and its ending (".md"); return their paths.

    Each file is there as a whole or as it was: a kill tears none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for ending, text in texts.items():
        path = folder / f"{name}{ending}"
        waiting = path.with_name(f"{path.name}.part")
        waiting.write_text(text, encoding="utf-8", errors="backslashreplace")
        waiting.replace(path)
        written.append(path)
    return tuple(written)
