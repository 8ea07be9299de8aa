"""Every implementation of QuestionRewriter keeps the contract."""

import json

from contracts.question import Turn
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from intrinsics.question_rewriting.base import QuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from tests.conformance.implementations import implementations
from tests.intrinsics.adapted import published
from tools.chat.base import ChatRequest

HISTORY = [Turn(role="user", text="What is the VCCQ level for DDR3?"), Turn(role="assistant", text="1.5 V.")]


def _adapted_reply(request: ChatRequest) -> str:
    asked = request.prompt.rpartition("query_to_rewrite<|end_of_role|>")[2].partition("<|end_of_text|>")[0]
    return json.dumps({"rewritten_question": asked if "Fjord" in asked else "What is the VCCQ level for DDR2?"})


rewriter = implementations(
    EmbeddedQuestionRewriter,
    adapter=(lambda chat: AdaptedQuestionRewriter(chat, published("question_rewriting")), _adapted_reply),
)


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
