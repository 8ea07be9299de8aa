"""Plots as SVG text: equal input makes equal text, and colours that can be read on light and on dark ground."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from contracts.errors import InvalidInput
from evaluation.results import Figure
from golden_lab.drawing import INK, as_svg, canvas
from golden_lab.metrics.probability import ReliabilityBin

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
