"""The report as one HTML file that opens without a network: style and plots are in it, and nothing is fetched."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from evaluation.report import cells
from evaluation.report.comparison import Difference
from evaluation.results import BenchmarkResult, Figure, Report, Score, named

_STRIP_WIDTH = 132


def to_html(report: Report, changes: Sequence[Difference] | None = None, before: Report | None = None) -> str:
    """Write the report; ``changes`` are the differences to the report ``before``, None where there is none."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {
        "anchor": _anchor,
        "change_text": cells.change_text,
        "duration": cells.duration,
        "figure_element": figure_element,
        "interval": cells.interval,
        "named": named,
        "number": cells.number,
        "published_beside_main": cells.published_beside_main,
        "rows_of": cells.rows_of,
        "strip": _strip,
        "verdicts": cells.VERDICTS,
    }
    names = list(dict.fromkeys(each.about.intrinsic for each in report.benchmarks))
    ordered = sorted(report.benchmarks, key=lambda each: names.index(each.about.intrinsic))
    by_intrinsic = [(name, list(of)) for name, of in groupby(ordered, key=lambda each: each.about.intrinsic)]
    return environment.get_template("report.html.j2").render(
        report=report, changes=changes, before=before, by_intrinsic=by_intrinsic
    )


def _anchor(result: BenchmarkResult) -> str:
    return "b-" + "".join(each if each.isascii() and each.isalnum() else "-" for each in result.about.name)


def figure_element(figure: Figure) -> str:
    """Write a plot as an image of its own inside a page: no script of it runs and none of its ids meets another."""
    source = base64.b64encode(figure.svg.encode()).decode("ascii")
    return (
        f'<figure><img title="{escape(figure.title)}" alt="{escape(figure.description)}" '
        f'src="data:image/svg+xml;base64,{source}"></figure>'
    )


def _strip(score: Score, published: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return where a score of [0, 1], its interval and the published figures lie on a line; None for other ranges."""
    if not (0 <= score.low <= score.high <= 1 and 0 <= score.value <= 1):
        return None

    def along(value: float) -> str:
        return f"{6 + value * (_STRIP_WIDTH - 12):.1f}"

    return {
        "width": _STRIP_WIDTH,
        "ends": (along(0), along(1)),
        "low": along(score.low),
        "value": along(score.value),
        "high": along(score.high),
        "theirs": [along(each.value) for each in published if 0 <= each.value <= 1],
    }
