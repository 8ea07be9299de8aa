"""Every implementation of AnswerRefiner keeps the contract."""

import pytest

from intrinsics.refinement.base import AnswerRefiner
from intrinsics.refinement.embedded import AutoAnswerRefiner, OverlapAnswerRefiner
from intrinsics.refinement.llm import PromptedAnswerRefiner, SelfCritiquingAnswerRefiner
from tests.conformance.checking_chats import judge_draft
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading


@pytest.fixture(params=["overlap", "none", "always", "generic", "auto", "self_refine", "verdict", "degrading"])
def refiner(request: pytest.FixtureRequest) -> AnswerRefiner:
    chat = ScriptedChatModel(judge_draft)
    others: dict[str, AnswerRefiner] = {
        "verdict": PromptedAnswerRefiner(chat),
        "self_refine": SelfCritiquingAnswerRefiner(chat),
        "auto": AutoAnswerRefiner(),
        "degrading": degrading(PromptedAnswerRefiner(ScriptedChatModel([])), OverlapAnswerRefiner()),
    }
    return others.get(request.param) or OverlapAnswerRefiner(policy=request.param)


EVERY_DRAFT = {"always", "generic", "self_refine"}


async def test_keeps_a_draft_in_the_words_of_the_passages(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "The P-200 pump runs at 48 V.", PASSAGES)
    assert verdict.policy
    if verdict.policy not in EVERY_DRAFT:
        assert not verdict.rewrite
        assert verdict.critique == ""


async def test_a_rewrite_comes_with_a_critique_and_only_then(refiner: AnswerRefiner, degraded: bool) -> None:
    draft = "Penguins inhabit Antarctica and devour krill."
    verdict = await refiner.review("At what voltage?", draft, PASSAGES)
    assert bool(verdict.critique) == verdict.rewrite
    assert verdict.signal < verdict.threshold
    assert verdict.rewrite or verdict.policy == "none" or "retrieval looks clean" in verdict.reasons[0]
    assert draft not in verdict.critique
    assert verdict.signal_name
    assert bool(verdict.provenance.degraded) is degraded


async def test_keeps_a_draft_when_there_is_nothing_to_write_from(refiner: AnswerRefiner) -> None:
    verdict = await refiner.review("At what voltage?", "Penguins devour krill.", ())
    assert (verdict.rewrite, verdict.critique) == (False, "")
    assert 0.0 <= verdict.signal <= 1.0


async def test_keeps_an_empty_draft(refiner: AnswerRefiner) -> None:
    assert not (await refiner.review("At what voltage?", " ", PASSAGES)).rewrite
