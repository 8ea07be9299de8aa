"""When retrieval looks noisy, and what the refiner then does."""

from dataclasses import replace

import pytest

from contracts.text import Passage
from intrinsics.refinement.difficulty import (
    gauge_difficulty,
    specificity,
)
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from tests.conformance.reading_cases import make_passage

TEXTS = ("Cranes lift steel beams.", "Bakers knead dough.", "Violins need rosin.", "Tides follow moons.")


def make_passages(texts: tuple[str, ...], *, documents: int, dense: tuple[float, ...]) -> tuple[Passage, ...]:
    found = []
    for number, text in enumerate(texts):
        passage = make_passage(text, number=number)
        chunk = replace(passage.chunk, document_id=f"d{number % documents}", document_title="")
        found.append(replace(passage, chunk=chunk, dense=dense[number % len(dense)]))
    return tuple(found)


CLEAN = make_passages(("The H4 hoist lifts 400 kg.",) * 3, documents=1, dense=(0.9, 0.4, 0.3))
NOISY = make_passages(TEXTS * 3, documents=12, dense=(0.31, 0.3, 0.3))


def test_specific_words_name_one_thing(subtests: pytest.Subtests) -> None:
    for question, count in [
        ("What is the VPP of the K4 part?", 2),
        ("Who is Per Lund?", 2),
        ("how often are pumps greased", 0),
        ("What does “slow start” mean?", 1),
        ("Give an overview of VPP and K4", 0),
        ("", 0),
    ]:
        with subtests.test(question=question):
            assert specificity(question) == count


def test_few_like_passages_are_clean_and_many_different_ones_noisy() -> None:
    clean = gauge_difficulty("What does the H4 lift on K2?", CLEAN, overlap=0.9)
    noisy = gauge_difficulty("How does it work in general?", NOISY, overlap=0.4)
    assert (clean.noisy, noisy.noisy) == (False, True)
    assert clean.value < 0.1
    assert noisy.value > 0.9
    assert "flatness" in noisy.reason
    assert noisy.reason.startswith("retrieval looks noisy, ")


async def test_auto_fires_where_it_is_noisy_and_the_draft_overlaps_too_little() -> None:
    refiner = OverlapAnswerRefiner("auto")
    strange, known = "Penguins devour krill.", "Cranes lift steel beams."
    for passages, draft, fires in ((NOISY, strange, True), (NOISY, known, False), (CLEAN, strange, False)):
        verdict = await refiner.review("How does it work in general?", draft, passages)
        assert verdict.rewrite == fires
        assert verdict.reasons[0].startswith(f"retrieval looks {'noisy' if passages is NOISY else 'clean'}")
