"""Plots: well-formed SVG with what was measured in it, equal for equal input, fit to stand in a page."""

from xml.etree import ElementTree

from golden_lab.metrics.classification import ReliabilityBin
from golden_lab.plots import reliability_plot
from golden_lab.results import Figure

BINS = (
    ReliabilityBin(low=0.1, high=0.2, mean_probability=0.15, observed=0.25, count=40),
    ReliabilityBin(low=0.8, high=0.9, mean_probability=0.85, observed=0.75, count=1200),
)


def texts(figure: Figure) -> list[str]:
    """Return all words that the plot shows."""
    return [each.text or "" for each in ElementTree.fromstring(figure.svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_plot_is_equal_for_equal_input_and_fit_to_stand_in_a_page() -> None:
    figure = reliability_plot(BINS, "Said & <observed>")
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == figure.title == "Said & <observed>"
    assert "Said & <observed>" in texts(figure)
    assert figure == reliability_plot(BINS, "Said & <observed>")
    assert "0.85 said, 0.75 true of 1,200" in figure.description
    assert figure.svg.startswith("<svg ")
    for foreign in ("<style", "<metadata", "fill: #ffffff"):
        assert foreign not in figure.svg
    names = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert not [name for name in names if name.startswith(("figure", "axes", "patch"))]
    assert all(f"#{name}" in figure.svg for name in names)
