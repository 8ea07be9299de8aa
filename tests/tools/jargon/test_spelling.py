"""Near spellings: those that comparing with every spelling gives, and found without it."""

import random
import re
import string

import pytest
from rapidfuzz import fuzz

from contracts.jargon import Vocabulary
from tools.jargon.spelling import KeptSpellings, NearSpellings
from tools.language import fold


def test_near_spellings_come_nearest_first_and_once() -> None:
    assert NearSpellings(["tRC", "tRCD", "VPP", "trc", "tRCDs"]).nearest("tRCC", 3) == ("tRC", "tRCD", "tRCDs")
    assert NearSpellings(["tRC", "VPP"]).nearest("XQZV", 3) == ()
    assert NearSpellings(["t_RC", "tRC", "t-RC", "tRP"]).nearest("tRCD", 3) == ("tRC", "tRP")
    assert NearSpellings(["VCCQ", "VCC"]).nearest("VCC_Q", 3) == ("VCCQ", "VCC")
    assert "tRC" not in NearSpellings(["tRC", "tRCD"]).nearest("trc", 3)


def test_no_term_breaks_them(subtests: pytest.Subtests) -> None:
    for term in ["", " ", "\u202eDLL", "a" * 600, "((.*"]:
        with subtests.test(term=term):
            near = NearSpellings(["DLL", "(.*)", "a" * 601, "unicode", "", "e\u0301"])
            assert len(near.nearest(term, 2)) <= 2
            assert near.nearest(term, 0) == ()
            assert NearSpellings(()).nearest(term, 3) == ()


def test_they_are_those_of_a_comparison_with_every_spelling() -> None:
    chance = random.Random(5)
    letters = string.ascii_letters + string.digits + "#_-é"
    spellings = sorted({"".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(3_000)})
    spellings += ["Q" * 300, "Q" * 290 + "Z"]
    near = NearSpellings(spellings)
    for term in [*spellings[::150], "QQZZ", "x9_a", "éé", "Q" * 295]:
        folded = {fold(each): each for each in reversed(spellings) if fold(each) != fold(term)}
        order = {each: at for at, each in enumerate(spellings)}
        likeness = {each: fuzz.ratio(fold(term), key) for key, each in folded.items()}
        ranked = sorted((each for each in likeness if likeness[each] >= 55), key=lambda e: (-likeness[e], order[e]))
        once = {re.sub("[-_ ]", "", fold(each)): each for each in reversed(ranked)}
        assert near.nearest(term, 4) == tuple(each for each in ranked if each in once.values())[:4], term


async def test_they_follow_the_vocabulary() -> None:
    kept = KeptSpellings()
    first = Vocabulary(version="1", terms={"tRC": ("tRC",), "VPP": ("VPP",)})
    assert await kept.nearest(first, "tRCC", 3) == ("tRC",)
    second = Vocabulary(version="2", terms={"tRCD": ("tRCD",)})
    assert await kept.nearest(second, "tRCC", 3) == ("tRCD",)
    assert await kept.nearest(first, "tRCC", 3) == ("tRC",)
