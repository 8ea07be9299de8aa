"""Plots of claims by source."""

from collections import Counter
from xml.etree import ElementTree

from golden_lab.triples.plots import count_regions
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
