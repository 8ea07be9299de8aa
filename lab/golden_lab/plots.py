"""Plots as SVG text: the same input gives the same text. The colours are readable on light and dark backgrounds."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

from golden_lab.metrics.classification import ReliabilityBin
from golden_lab.results import Figure

# Contrast of at least 4 to 1 against both white and #111827.
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
    """Yield a matplotlib figure of this size in the common style, without changing pyplot's state."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    with rc_context(_STYLE):
        yield Canvas(figsize=(width_in, height_in), layout="constrained")


def as_svg(figure: Any, title: str) -> str:
    """Return ``figure`` as an SVG element that does not interfere with a page; ``title`` is its label."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(figure)
    drawn = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    text = drawn.getvalue()
    # Text before the element, the style sheet and the names of groups would interfere with the HTML page around it.
    text = _STYLE_SHEET.sub("", text[text.index("<svg") :], count=1).strip()
    text = _GROUP_NAME.sub("<g>", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" style="{_ROOT_STYLE}" ', 1)


# Lines and areas: contrast of at least 3.6 to 1 against both white and #111827.
_LINE = "#3d84c6"


def reliability_plot(bins: Sequence[ReliabilityBin], title: str) -> Figure:
    """Plot predicted probability against observed share: a dot per bin, sized by case count; the diagonal is ideal."""
    total = sum(each.count for each in bins)
    with canvas(4.6, 4.2) as figure:
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        axes.plot((0, 1), (0, 1), color=INK, linewidth=1, linestyle=(0, (4, 4)))
        said, observed = [each.mean_probability for each in bins], [each.observed for each in bins]
        axes.plot(said, observed, color=_LINE, linewidth=1.4)
        axes.scatter(said, observed, s=[15 + 385 * each.count / total for each in bins], color=_LINE, alpha=0.75)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal", title=title)
        axes.set(xlabel="said probability", ylabel="observed share")
        svg = as_svg(figure, title)
    bin_texts = "; ".join(
        f"{each.mean_probability:.2f} said, {each.observed:.2f} true of {each.count:,}" for each in bins
    )
    return Figure(title=title, svg=svg, description=f"Said probability against observed share, by bin: {bin_texts}.")
