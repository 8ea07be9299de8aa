"""Plots as SVG text: equal input makes equal text, and colours that can be read on light and on dark ground."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from contracts.errors import InvalidInput
from evaluation.benchmarks.base import Figure
from evaluation.drawing import INK, as_svg, canvas
from evaluation.metrics.probability import ReliabilityBin

# Inches of 96 pixels each: 640 pixels wide, the column of a report.
_WIDTH = 640 / 96
_ROW_HEIGHT = 0.28
# Against white and against #111827 lines and areas have a contrast of at least 3.6 to 1.
_LINE = "#3d84c6"
_ACCENTS = (_LINE, "#b7791f", "#2f9461", "#b065c9", "#d0605e")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """What ``series`` came to in one run, with its 95 % interval; ``run`` is its short name, a date or a revision."""

    run: str
    series: str
    value: float
    low: float
    high: float


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


def history_plot(points: Sequence[HistoryPoint], title: str) -> Figure:
    """Plot series over runs, in the order in which the runs first come, each value with its interval.

    Raises:
        InvalidInput: there is no point.
    """
    if not points:
        raise InvalidInput(f'the history "{title}" has no point to show', field="points")
    runs = list(dict.fromkeys(point.run for point in points))
    names = list(dict.fromkeys(point.series for point in points))
    with _drawing(3.2) as (figure, axes):
        for at, name in enumerate(names):
            own = [point for point in points if point.series == name]
            # Series of one run stand a little apart, so that their intervals do not hide one another.
            aside = 0.05 * (at - (len(names) - 1) / 2)
            axes.errorbar(
                [runs.index(point.run) + aside for point in own],
                [point.value for point in own],
                yerr=_reaches([(point.value, point.low, point.high) for point in own]),
                color=_ACCENTS[at % len(_ACCENTS)],
                linestyle=("-", "--", ":")[at // len(_ACCENTS) % 3],
                marker="o",
                markersize=4,
                linewidth=1.6,
                capsize=3,
                label=_shortened(name),
            )
        axes.set_xticks(range(len(runs)), runs, rotation=30 if len(runs) > 6 else 0)
        axes.set(title=title, xlim=(-0.4, len(runs) - 0.6))
        if len(names) > 1:
            figure.legend(loc="outside lower center", ncols=min(3, len(names)), fontsize=8.5)
        svg = as_svg(figure, title)
    told = "; ".join(f"{point.series} in {point.run} {point.value:.3g}" for point in points)
    return Figure(title=title, svg=svg, description=f"Values over runs: {told}.")


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
