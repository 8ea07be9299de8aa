"""Every implementation of AnswerabilityJudge keeps the contract."""

import pytest

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from tests.conformance.reading_cases import ODD_QUESTIONS, make_passage
from tests.intrinsics.adapted import published
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback
from tools.reading.ranking import QuoteRanker

PASSAGES = (
    make_passage("The pump BLP4 runs at 12 V and is greased in May."),
    make_passage("The hall is closed on Sunday.", number=1),
)


def _reply(request: ChatRequest) -> str:
    # A model that takes any question about these passages for answered.
    return "answerable"


def _embedded() -> AnswerabilityJudge:
    return EmbeddedAnswerabilityJudge(QuoteRanker(OverlapScorer()))


@pytest.fixture(
    params=[
        _embedded,
        lambda: PromptedAnswerabilityJudge(ScriptedChatModel(_reply)),
        lambda: AdaptedAnswerabilityJudge(ScriptedChatModel(_reply), published("answerability")),
        lambda: with_fallback(PromptedAnswerabilityJudge(ScriptedChatModel([])), _embedded()),
    ],
    ids=["embedded", "llm", "adapter", "degrading"],
)
def judge(request: pytest.FixtureRequest) -> AnswerabilityJudge:
    built: AnswerabilityJudge = request.param()
    return built


def _ask(text: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="test"))


async def test_no_passages_hold_no_answer(judge: AnswerabilityJudge) -> None:
    for passages in ((), (make_passage("  \n"),)):
        verdict = await judge.judge(_ask("At which voltage does the BLP4 run?"), passages)
        assert (verdict.probability, verdict.missing) == (0.0, ("BLP4",))


async def test_a_code_that_no_passage_mentions_is_declined_by_name(judge: AnswerabilityJudge) -> None:
    for name in ("BLP7", "blp7", "tBLP"):
        verdict = await judge.judge(_ask(f"At which voltage does the {name} run?"), PASSAGES)
        assert verdict.probability <= 0.3
        assert verdict.missing == (name,)
    assert (await judge.judge(_ask("At which voltage does the BLP4 run?"), PASSAGES)).missing == ()


async def test_any_question_has_a_probability_and_a_judge(
    judge: AnswerabilityJudge, degraded: bool, subtests: pytest.Subtests
) -> None:
    for question in ODD_QUESTIONS:
        with subtests.test(question=question[:20]):
            verdict = await judge.judge(_ask(question), PASSAGES)
            assert 0.0 <= verdict.probability <= 1.0
            assert bool(verdict.provenance.degraded) is degraded
            assert verdict.provenance.implementation in ("embedded", "llm", "adapter")
            assert all(term in question for term in verdict.missing)
