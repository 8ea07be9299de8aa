"""A report as sections of words, tables and plots: written as Markdown, or as one page that needs no network."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import evaluation.report
from evaluation.benchmark import Figure
from evaluation.report.markdown import escape as escape_markdown
from evaluation.report.tables import figure_element

_WITH_INTERVAL = re.compile(r"(\S+) (\(\S+ to \S+\))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells as text; ``heads`` name the columns."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a report. ``notes`` stand below the tables."""

    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()


def as_markdown(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Write a report in Markdown; plots are left to the page."""
    lines = [f"# {escape_markdown(title)}", "", escape_markdown(subtitle), ""]
    for section in sections:
        lines += [f"## {escape_markdown(section.title)}", ""]
        for words in section.words:
            lines += [escape_markdown(words), ""]
        for table in section.tables:
            lines += [*_markdown_table(table), ""]
        lines += [*(f"- {escape_markdown(note)}" for note in section.notes), *([""] if section.notes else [])]
    return "\n".join(lines).rstrip() + "\n"


def as_page(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Write a report as one HTML file with its style and plots in it."""
    style = Path(str(evaluation.report.__file__)).with_name("page.css").read_text(encoding="utf-8")
    links = "".join(f'<li><a href="#s{at}">{escape(each.title)}</a></li>' for at, each in enumerate(sections))
    body = "\n".join("".join(_section(section, at)) for at, section in enumerate(sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head><body>"
        f'<div class="page"><nav aria-label="Contents"><h2>Contents</h2><ul>{links}</ul></nav><main>'
        f'<header><h1>{escape(title)}</h1><p class="subtitle">{escape(subtitle)}</p></header>\n{body}\n'
        "</main></div></body></html>\n"
    )


def _cell(text: str) -> str:
    """Write a cell; an interval behind a number stays on one line."""
    found = _WITH_INTERVAL.fullmatch(text)
    if found is None:
        return f"<td>{escape(text)}</td>"
    return f'<td>{escape(found[1])} <span class="range">{escape(found[2])}</span></td>'


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(escape_markdown, table.heads))} |"
    yield f"|{'---|' * len(table.heads)}"
    for row in table.rows:
        yield f"| {' | '.join(map(escape_markdown, row))} |"


def _section(section: Section, at: int) -> Iterator[str]:
    yield f'<section id="s{at}"><h2>{escape(section.title)}</h2>'
    for words in section.words:
        yield f'<p class="about">{escape(words)}</p>'
    for table in section.tables:
        heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
        yield f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    for note in section.notes:
        yield f'<p class="note">{escape(note)}</p>'
    for figure in section.figures:
        yield figure_element(figure)
    yield "</section>"
