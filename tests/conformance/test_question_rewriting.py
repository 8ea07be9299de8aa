"""Every implementation of QuestionRewriter keeps the contract."""

import pytest

from contracts.question import Turn
from intrinsics.question_rewriting import QuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter

HISTORY = [Turn(role="user", text="What is the VCCQ level for DDR3?"), Turn(role="assistant", text="1.5 V.")]


@pytest.fixture(params=["embedded"])
def rewriter(request: pytest.FixtureRequest) -> QuestionRewriter:
    return {"embedded": EmbeddedQuestionRewriter}[request.param]()


async def test_a_follow_up_names_what_it_is_about(rewriter: QuestionRewriter) -> None:
    verdict = await rewriter.rewrite("and for DDR2?", HISTORY)
    assert verdict.changed
    assert "VCCQ" in verdict.text
    assert "DDR2" in verdict.text


async def test_a_standalone_question_is_left_alone(rewriter: QuestionRewriter) -> None:
    question = "How many bytes does one Fjord Link frame carry?"
    assert (await rewriter.rewrite(question, HISTORY)).text == question
