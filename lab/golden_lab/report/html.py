"""The report as one self-contained HTML file, with styles and plots, that works offline."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from golden_lab.report.comparison import ScoreChange
from golden_lab.report.markdown import Section, sections
from golden_lab.results import Figure, Report


def to_html(report: Report, changes: Sequence[ScoreChange] | None = None) -> str:
    """Render the report as HTML; ``changes`` are the differences from another report, if any."""
    return page(f"The bench, {report.engine} engine, {report.revision}", sections(report, changes))


def page(title: str, parts: Iterable[Section]) -> str:
    """Render parts of Markdown as a page, each part followed by its plots."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    body = ""
    for anchor, text, figures in parts:
        plots = "\n".join(map(figure_element, figures))
        body += f'<section id="{anchor}">\n{parser.render(text)}{plots}</section>\n'
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head><body><main>\n{body}</main></body></html>\n"
    )


def figure_element(figure: Figure) -> str:
    """Render a plot as an embedded image: its scripts do not run and its ids cannot collide."""
    source = base64.b64encode(figure.svg.encode()).decode("ascii")
    return (
        f'<figure><img title="{escape(figure.title)}" alt="{escape(figure.description)}" '
        f'src="data:image/svg+xml;base64,{source}"></figure>'
    )
