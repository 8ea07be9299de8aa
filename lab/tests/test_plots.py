"""Plots: well-formed SVG with what was measured in it, equal for equal input, fit to stand in a page."""

import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from evaluation.results import Figure
from golden_lab.metrics.classification import ReliabilityBin
from golden_lab.plots import bars_with_intervals, reliability_plot

PIXELS_A_POINT = 96 / 72
BINS = (
    ReliabilityBin(low=0.1, high=0.2, mean_probability=0.15, observed=0.25, count=40),
    ReliabilityBin(low=0.8, high=0.9, mean_probability=0.85, observed=0.75, count=1200),
)
ROWS = (("BM25 & friends", 0.42, 0.38, 0.46), ("hybrid", 0.58, 0.54, 0.62))
PLOTS: tuple[Callable[[], Figure], ...] = (
    lambda: reliability_plot(BINS, "Said & <observed>"),
    lambda: bars_with_intervals(ROWS, "Said & <observed>", axis_label="nDCG@5"),
)


def texts(figure: Figure) -> list[str]:
    """Return all words that the plot shows."""
    return [each.text or "" for each in ElementTree.fromstring(figure.svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_is_equal_for_equal_input_and_fits_the_page(plot: Callable[[], Figure]) -> None:
    figure = plot()
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.attrib["width"].removesuffix("pt")) * PIXELS_A_POINT <= 640.5
    assert root.attrib["aria-label"] == figure.title == "Said & <observed>"
    assert "Said & <observed>" in texts(figure)
    assert figure == plot()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_rules_nothing_outside_itself_and_has_no_ground_of_its_own(plot: Callable[[], Figure]) -> None:
    svg = plot().svg
    assert svg.startswith("<svg ")
    assert "<style" not in svg
    assert "<metadata" not in svg
    assert "fill: #ffffff" not in svg
    names = [each.attrib["id"] for each in ElementTree.fromstring(svg).iter() if "id" in each.attrib]
    assert not [name for name in names if name.startswith(("figure", "axes", "patch"))]
    for name in names:
        assert f"#{name}" in svg


def test_bars_name_their_rows_in_order_and_say_their_values() -> None:
    figure = bars_with_intervals(ROWS, "t", axis_label="nDCG@5")
    shown = texts(figure)
    assert [text for text in shown if text in ("BM25 & friends", "hybrid", "nDCG@5")] == [
        "nDCG@5",
        *(r[0] for r in ROWS),
    ]
    assert "BM25 & friends 0.42 (0.38 to 0.46)" in figure.description


def test_a_long_label_is_cut() -> None:
    shown = texts(bars_with_intervals((("x" * 80, 0.5, 0.4, 0.6),), "t"))
    assert "x" * 33 + "…" in shown


def test_bars_beyond_1_and_below_0_are_shown() -> None:
    shown = texts(bars_with_intervals((("a", -3.0, -4.0, -2.0), ("b", 40.0, 30.0, 50.0)), "t"))
    assert {"0", "40"} <= set(shown)


def test_a_price_in_a_title_is_no_formula() -> None:
    assert "$5 and $6_a" in texts(bars_with_intervals(ROWS, "$5 and $6_a"))


def test_the_description_of_a_reliability_plot_names_its_bins() -> None:
    assert "0.85 said, 0.75 true of 1,200" in reliability_plot(BINS, "t").description


def test_the_module_does_not_load_matplotlib_and_no_plot_touches_pyplot() -> None:
    code = (
        "import sys, golden_lab.plots as p\n"
        "assert 'matplotlib' not in sys.modules\n"
        "p.bars_with_intervals((('a', 0.5, 0.4, 0.6),), 't')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
