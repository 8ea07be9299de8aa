"""The refiner's signal and policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intrinsics.refinement.embedded import CritiqueTemplate, OverlapAnswerRefiner
from intrinsics.refinement.overlap import passage_overlap
from tests.conformance.reading_cases import PASSAGES, make_passage


def test_counts_the_content_words_that_stand_in_a_passage(subtests: pytest.Subtests) -> None:
    for draft, share in [
        ("The P-200 pump runs at 48 V.", 1.0),
        ("The pump runs at 48 V [1][2].", 1.0),
        ("The pump flies.", 0.5),
        ("It is so.", 1.0),
        ("", 1.0),
    ]:
        with subtests.test(draft=draft):
            assert passage_overlap(draft, PASSAGES) == pytest.approx(share)


def test_a_number_counts_in_any_form(subtests: pytest.Subtests) -> None:
    for draft, text in [
        ("3 pumps", "three pumps"),
        ("3rd pump", "third pump"),
        ("1,000 pumps", "1000 pumps"),
        ("twenty pumps", "20 pumps"),
    ]:
        with subtests.test(draft=draft):
            assert passage_overlap(draft, (make_passage(text),)) == 1.0
    # Words of the headings count as found.
    assert passage_overlap("lubrication", (make_passage("Every 500 hours.", heading=("Lubrication",)),)) == 1.0


async def test_fires_below_the_threshold_with_the_template() -> None:
    template = CritiqueTemplate(version="9", threshold=0.5, text="Keep to the passages.")
    verdict = await OverlapAnswerRefiner(template=template).review("?", "Penguins fly south.", PASSAGES)
    assert (verdict.rewrite, verdict.critique) == (True, "Keep to the passages.")
    assert verdict.provenance.prompt_version == "9"
    assert (verdict.signal, verdict.threshold) == (0.0, 0.5)


async def test_policy_none_reports_the_signal_and_keeps_the_draft() -> None:
    verdict = await OverlapAnswerRefiner("none").review("?", "Penguins fly south.", PASSAGES)
    assert (verdict.rewrite, verdict.signal) == (False, 0.0)


@given(st.text(min_size=1, max_size=200))
def test_a_draft_is_grounded_in_itself(text: str) -> None:
    assert passage_overlap(text, (make_passage(text),)) == 1.0
