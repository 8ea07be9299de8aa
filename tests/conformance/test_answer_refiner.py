"""Every implementation of AnswerRefiner keeps the contract."""

import pytest

from intrinsics.refinement import AnswerRefiner
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from intrinsics.refinement.llm import PromptedAnswerRefiner
from tests.conformance.checking_chats import judge_draft
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import ScriptedChatModel


@pytest.fixture(params=["overlap", "none", "verdict"])
def refiner(request: pytest.FixtureRequest) -> AnswerRefiner:
    if request.param == "verdict":
        return PromptedAnswerRefiner(ScriptedChatModel(judge_draft))
    return OverlapAnswerRefiner(policy=request.param)


async def test_keeps_a_draft_in_the_words_of_the_passages(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "The P-200 pump runs at 48 V.", PASSAGES)
    assert not verdict.rewrite
    assert verdict.critique == ""
    assert verdict.policy


async def test_a_rewrite_comes_with_a_critique_and_only_then(refiner: AnswerRefiner) -> None:
    draft = "Penguins inhabit Antarctica and devour krill."
    verdict = await refiner.review("At what voltage?", draft, PASSAGES)
    assert bool(verdict.critique) == verdict.rewrite
    assert verdict.rewrite == (verdict.signal < verdict.threshold and verdict.policy != "none")
    assert draft not in verdict.critique


async def test_keeps_a_draft_when_there_is_nothing_to_write_from(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "Penguins devour krill.", ())
    assert (verdict.rewrite, verdict.critique) == (False, "")
    assert 0.0 <= verdict.signal <= 1.0
