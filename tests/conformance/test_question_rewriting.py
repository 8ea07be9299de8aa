"""Every implementation of QuestionRewriter keeps the contract."""

import json

import pytest

from contracts.question import Turn
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from intrinsics.question_rewriting.base import QuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from tests.intrinsics.adapted import published
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback

HISTORY = [Turn(role="user", text="What is the VCCQ level for DDR3?"), Turn(role="assistant", text="1.5 V.")]


def _adapted_reply(request: ChatRequest) -> str:
    asked = request.prompt.rpartition("query_to_rewrite<|end_of_role|>")[2].partition("<|end_of_text|>")[0]
    return json.dumps({"rewritten_question": asked if "Fjord" in asked else "What is the VCCQ level for DDR2?"})


def _degrading() -> QuestionRewriter:
    down: QuestionRewriter = AdaptedQuestionRewriter(ScriptedChatModel([]), published("question_rewriting"))
    return with_fallback(down, EmbeddedQuestionRewriter())


@pytest.fixture(
    params=[
        EmbeddedQuestionRewriter,
        lambda: AdaptedQuestionRewriter(ScriptedChatModel(_adapted_reply), published("question_rewriting")),
        _degrading,
    ],
    ids=["embedded", "adapter", "degrading"],
)
def rewriter(request: pytest.FixtureRequest) -> QuestionRewriter:
    built: QuestionRewriter = request.param()
    return built


async def test_a_follow_up_names_what_it_is_about_and_a_standalone_question_is_left_alone(
    rewriter: QuestionRewriter, degraded: bool
) -> None:
    verdict = await rewriter.rewrite("and for DDR2?", HISTORY)
    assert verdict.changed
    assert bool(verdict.provenance.degraded) is degraded
    assert "VCCQ" in verdict.text
    assert "DDR2" in verdict.text
    question = "How many bytes does one Fjord Link frame carry?"
    assert (await rewriter.rewrite(question, HISTORY)).text == question
