"""Every implementation of AnswerRefiner keeps the contract."""

import pytest

from intrinsics.refinement.base import AnswerRefiner
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from tests.conformance.reading_cases import PASSAGES


@pytest.fixture(params=["overlap", "none", "auto"])
def refiner(request: pytest.FixtureRequest) -> AnswerRefiner:
    return OverlapAnswerRefiner(policy=request.param)


async def test_keeps_a_draft_in_the_words_of_the_passages(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "The P-200 pump runs at 48 V.", PASSAGES)
    assert verdict.policy
    assert not verdict.rewrite
    assert verdict.critique == ""


async def test_a_rewrite_comes_with_a_critique_and_only_then(refiner: AnswerRefiner) -> None:
    draft = "Penguins inhabit Antarctica and devour krill."
    verdict = await refiner.review("At what voltage?", draft, PASSAGES)
    assert bool(verdict.critique) == verdict.rewrite
    assert verdict.signal < verdict.threshold
    assert verdict.rewrite or verdict.policy == "none" or "retrieval looks clean" in verdict.reasons[0]
    assert draft not in verdict.critique
    assert verdict.signal_name


async def test_keeps_an_empty_draft_and_one_that_has_nothing_to_be_written_from(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "Penguins devour krill.", ())
    assert (verdict.rewrite, verdict.critique) == (False, "")
    assert 0.0 <= verdict.signal <= 1.0
    assert not (await refiner.review("At what voltage?", " ", PASSAGES)).rewrite
