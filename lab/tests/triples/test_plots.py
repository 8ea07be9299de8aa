"""Plots of claims by source."""

import re
from collections import Counter
from xml.etree import ElementTree

from golden_lab.triples.plots import count_regions, venn_matrix
from lab.tests.triples.builders import response

RESPONSES = [response("a", "R", "RU", "", "C"), response("b", "RUC", "R", "U", "RU", "RU", "")]


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_regions_by_hand() -> None:
    assert count_regions(RESPONSES) == Counter(
        {
            (True, True, False): 3,
            (True, False, False): 2,
            (False, False, False): 2,
            (False, False, True): 1,
            (True, True, True): 1,
            (False, True, False): 1,
        }
    )


def test_the_circles_show_the_percentage_of_each_region_and_of_none() -> None:
    figure = venn_matrix({("bot", "relevant"): count_regions(RESPONSES)}, "Sources & claims")
    shown = texts(figure.svg)
    assert sorted(text for text in shown if re.fullmatch(r"\d+%", text)) == ["10%", "10%", "10%", "20%", "30%"]
    assert any(re.fullmatch(r"NONE 20%\s+n = 10", text) for text in shown)
    assert "bot · relevant" in shown
    assert "reference and user 30%" in figure.description
