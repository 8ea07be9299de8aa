"""Plots as SVG text: equal input makes equal text, in colours that can be read on light and on dark ground."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

from contracts.errors import InvalidInput
from evaluation.results import Figure
from golden_lab.metrics.classification import ReliabilityBin

# Against white and against #111827 the ink has a contrast of at least 4 to 1.
INK = "#6f7b8b"
_STYLE: Any = {
    "svg.hashsalt": "golden-retriever",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "text.parse_math": False,
}
_STYLE_SHEET = re.compile(r"\s*<defs>\s*<style[^>]*>\*\{[^}]*\}</style>\s*</defs>")
_GROUP_NAME = re.compile(r'<g id="[^"]*">')
_ROOT_STYLE = "stroke-linejoin: round; stroke-linecap: butt; max-width: 100%; height: auto"


@contextmanager
def canvas(width_in: float, height_in: float) -> Iterator[Any]:
    """Yield a matplotlib figure of so many inches, under the style of all plots; no state of pyplot is touched."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    with rc_context(_STYLE):
        yield Canvas(figsize=(width_in, height_in), layout="constrained")


def as_svg(figure: Any, title: str) -> str:
    """Return ``figure`` as an SVG element that stands in a page without troubling it; ``title`` is its label."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(figure)
    drawn = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    text = drawn.getvalue()
    # What stands before the element, the style sheet and the names of groups would trouble the HTML page around it.
    text = _STYLE_SHEET.sub("", text[text.index("<svg") :], count=1).strip()
    text = _GROUP_NAME.sub("<g>", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" style="{_ROOT_STYLE}" ', 1)


# Inches of 96 pixels each: 640 pixels wide, the column of a report.
_WIDTH = 640 / 96
_ROW_HEIGHT = 0.28
# Against white and against #111827 lines and areas have a contrast of at least 3.6 to 1.
_LINE = "#3d84c6"


def reliability_plot(bins: Sequence[ReliabilityBin], title: str) -> Figure:
    """Plot what was said against what came true, one dot a bin, its area by its cases; on the diagonal it is right.

    Raises:
        InvalidInput: there is no bin.
    """
    if not bins:
        raise InvalidInput(f'the reliability plot "{title}" has no bin to show', field="bins")
    total = sum(each.count for each in bins)
    with _drawing(4.2, width_in=4.6) as (figure, axes):
        axes.plot((0, 1), (0, 1), color=INK, linewidth=1, linestyle=(0, (4, 4)))
        said, observed = [each.mean_probability for each in bins], [each.observed for each in bins]
        axes.plot(said, observed, color=_LINE, linewidth=1.4)
        axes.scatter(said, observed, s=[15 + 385 * each.count / total for each in bins], color=_LINE, alpha=0.75)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal", title=title)
        axes.set(xlabel="said probability", ylabel="observed share")
        svg = as_svg(figure, title)
    told = "; ".join(f"{each.mean_probability:.2f} said, {each.observed:.2f} true of {each.count:,}" for each in bins)
    return Figure(title=title, svg=svg, description=f"Said probability against observed share, by bin: {told}.")


def bars_with_intervals(rows: Sequence[tuple[str, float, float, float]], title: str, *, axis_label: str = "") -> Figure:
    """Plot rows (label, value, low, high) as horizontal bars from 0, the first on top, with their intervals.

    Raises:
        InvalidInput: there is no row.
    """
    if not rows:
        raise InvalidInput(f'the plot "{title}" has no row to show', field="rows")
    places = range(len(rows))
    values = [value for _, value, _, _ in rows]
    with _drawing(0.9 + _ROW_HEIGHT * len(rows)) as (figure, axes):
        axes.barh(places, values, height=0.62, color=_LINE, alpha=0.6)
        axes.errorbar(
            values,
            places,
            xerr=_reaches([(value, low, high) for _, value, low, high in rows]),
            fmt="none",
            ecolor=INK,
            elinewidth=1.4,
            capsize=3,
        )
        axes.set_yticks(places, [_shortened(label) for label, *_ in rows])
        axes.invert_yaxis()
        axes.set(title=title, xlabel=axis_label)
        lowest, highest = min(0.0, *(row[2] for row in rows)), max(row[3] for row in rows)
        axes.set_xlim(lowest * 1.05, 1.0 if 0.6 <= highest <= 1 else (highest * 1.05 or 1.0))
        svg = as_svg(figure, title)
    told = "; ".join(f"{label} {value:.3g} ({low:.3g} to {high:.3g})" for label, value, low, high in rows)
    return Figure(title=title, svg=svg, description=f"Values with their 95 % intervals: {told}.")


@contextmanager
def _drawing(height_in: float, *, width_in: float = _WIDTH) -> Iterator[tuple[Any, Any]]:
    """Yield a figure of so many inches and its axes."""
    with canvas(width_in, height_in) as figure:
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        yield figure, axes


def _reaches(values: Sequence[tuple[float, float, float]]) -> tuple[list[float], list[float]]:
    """Return how far each interval reaches below and above its value, as matplotlib wants it: never below 0."""
    return (
        [max(0.0, value - low) for value, low, _ in values],
        [max(0.0, high - value) for value, _, high in values],
    )


def _shortened(label: str, longest: int = 34) -> str:
    return label if len(label) <= longest else label[: longest - 1].rstrip() + "…"
