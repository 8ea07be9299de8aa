"""The three files of a report: JSON for comparisons, Markdown for a repository, and HTML for a browser."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from contracts.errors import InvalidInput
from golden_lab.report.comparison import compare
from golden_lab.report.html import to_html
from golden_lab.report.markdown import to_markdown
from golden_lab.results import Report


def to_json(report: Report) -> str:
    """Write the report as JSON, one benchmark per line; ``from_json`` returns an equal report."""
    content = asdict(report)
    results = ",\n".join(_line(each) for each in content.pop("benchmarks"))
    return f'{_line(content)[:-1]}, "benchmarks": [\n{results}\n]}}\n'


def from_json(text: str, name: str = "the report") -> Report:
    """Read a report; error messages call it ``name``.

    Raises:
        InvalidInput: it is not a report, or has another schema version; the message names the field.
    """
    try:
        return TypeAdapter(Report).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"{name} is not a report that this version can read: {': '.join(filter(None, (field, first['msg'])))}",
            field=field,
        ) from error


def read_report(path: Path) -> Report:
    """Read the report in file ``path``.

    Raises:
        InvalidInput: the file does not exist, or is not a report.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} is not a file: give the JSON file of an earlier `golden-lab all`")
    return from_json(path.read_text(encoding="utf-8", errors="replace"), str(path))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_report(report: Report, folder: Path, name: str, *, before: Report | None = None) -> tuple[Path, ...]:
    """Write ``name``.json, .md and .html into ``folder``, with the differences from ``before``; return their paths."""
    changes = compare(report, before) if before is not None else None
    texts = {
        ".json": to_json(report),
        ".md": to_markdown(report, changes),
        ".html": to_html(report, changes),
    }
    return write_texts(texts, folder, name)


def write_texts(texts: Mapping[str, str], folder: Path, name: str) -> tuple[Path, ...]:
    """Write each of ``texts`` into ``folder``, as ``name`` with its ending (".md"); return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{name}{ending}" for ending in texts)
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return paths
