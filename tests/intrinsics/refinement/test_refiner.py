"""The refiner's signals, when retrieval looks noisy, and its policies."""

from dataclasses import replace

import pytest

from contracts.text import Passage
from intrinsics.refinement.difficulty import gauge_difficulty, specificity
from intrinsics.refinement.embedded import CritiqueTemplate, OverlapAnswerRefiner
from intrinsics.refinement.overlap import passage_overlap
from tests.conformance.reading_cases import PASSAGES, make_passage


def test_overlap_counts_content_words_and_numbers_in_any_form() -> None:
    shares = {
        "The P-200 pump runs at 48 V.": 1.0, "The pump runs at 48 V [1][2].": 1.0, "The pump flies.": 0.5,
        "It is so.": 1.0, "": 1.0,
    }  # fmt: skip
    assert {draft: passage_overlap(draft, PASSAGES) for draft in shares} == pytest.approx(shares)
    for draft, text in {
        "3 pumps": "three pumps", "3rd pump": "third pump", "1,000 pumps": "1000 pumps", "1.50 pumps": "1.5 pumps",
        "twenty pumps": "20 pumps",
    }.items():  # fmt: skip
        assert passage_overlap(draft, (make_passage(text),)) == 1.0, draft
    # Words of the headings count as found.
    assert passage_overlap("lubrication", (make_passage("Every 500 hours.", heading=("Lubrication",)),)) == 1.0


async def test_refiner_fires_below_the_threshold_unless_disabled_or_without_text() -> None:
    template = CritiqueTemplate(version="9", threshold=0.5, text="Keep to the passages.")
    verdict = await OverlapAnswerRefiner(template=template).review("?", "Penguins fly south.", PASSAGES)
    assert (verdict.rewrite, verdict.critique) == (True, "Keep to the passages.")
    assert verdict.provenance.prompt_version == "9"
    assert (verdict.signal, verdict.threshold) == (0.0, 0.5)
    verdict = await OverlapAnswerRefiner("none").review("?", "Penguins fly south.", PASSAGES)
    assert (verdict.rewrite, verdict.signal) == (False, 0.0)
    for draft, passages in ((" ", PASSAGES), ("Penguins fly south.", ())):
        verdict = await OverlapAnswerRefiner("overlap").review("?", draft, passages)
        assert (verdict.rewrite, verdict.critique) == (False, "")


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


def test_few_similar_passages_are_clean_and_many_different_ones_noisy() -> None:
    clean = gauge_difficulty("What does the H4 lift on K2?", CLEAN, overlap=0.9)
    noisy = gauge_difficulty("How does it work in general?", NOISY, overlap=0.4)
    assert (clean.noisy, noisy.noisy) == (False, True)
    assert clean.value < 0.1
    assert noisy.value > 0.9
    assert "flatness" in noisy.reason
    assert noisy.reason.startswith("retrieval looks noisy, ")
    # Specific words of a question name one thing.
    expected = {
        "What is the VPP of the K4 part?": 2,
        "Who is Per Lund?": 2,
        "how often are pumps greased": 0,
        "What does “slow start” mean?": 1,
        "Give an overview of VPP and K4": 0,
        "": 0,
    }
    assert {question: specificity(question) for question in expected} == expected


async def test_auto_policy_fires_for_noisy_retrieval_and_low_overlap() -> None:
    refiner = OverlapAnswerRefiner("auto")
    strange, known = "Penguins devour krill.", "Cranes lift steel beams."
    for passages, draft, fires in ((NOISY, strange, True), (NOISY, known, False), (CLEAN, strange, False)):
        verdict = await refiner.review("How does it work in general?", draft, passages)
        assert verdict.rewrite == fires
        assert verdict.reasons[0].startswith(f"retrieval looks {'noisy' if passages is NOISY else 'clean'}")
