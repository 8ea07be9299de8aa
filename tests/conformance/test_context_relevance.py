"""Every implementation of RelevanceJudge keeps the contract."""

import json
from typing import get_args

import pytest

from contracts.verdicts import RelevanceLabel
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from tests.conformance.reading_cases import ODD_QUESTIONS, make_passage
from tests.intrinsics.adapted import published
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback
from tools.reading.ranking import QuoteRanker

TEXTS = ("The pump BLP4 runs at 12 V.", "The hall is closed on Sunday.", " \n", "The pump BLP7 runs at 24 V.")
PASSAGES = tuple(make_passage(text, number=number, score=1 / (1 + number)) for number, text in enumerate(TEXTS))


def _adapted_reply(request: ChatRequest) -> str:
    return json.dumps({"context_relevance": "relevant" if "12 V" in request.prompt else "irrelevant"})


def _embedded() -> RelevanceJudge:
    return EmbeddedRelevanceJudge(QuoteRanker(OverlapScorer()))


@pytest.fixture(
    params=[
        _embedded,
        lambda: AdaptedRelevanceJudge(ScriptedChatModel(_adapted_reply), published("context_relevance")),
        lambda: with_fallback(
            AdaptedRelevanceJudge(ScriptedChatModel([]), published("context_relevance")), _embedded()
        ),
    ],
    ids=["embedded", "adapter", "degrading"],
)
def judge(request: pytest.FixtureRequest) -> RelevanceJudge:
    built: RelevanceJudge = request.param()
    return built


async def test_each_passage_has_its_verdict_in_their_order(judge: RelevanceJudge) -> None:
    question = "At which voltage does the pump BLP4 run?"
    assert (await judge.judge(question, ())).passages == ()
    verdicts = (await judge.judge(question, PASSAGES)).passages
    assert len(verdicts) == len(PASSAGES)
    assert max(range(4), key=lambda index: verdicts[index].probability) == 0
    assert (verdicts[2].label, verdicts[2].probability) == ("irrelevant", 0.0)
    backwards = (await judge.judge(question, PASSAGES[::-1])).passages
    assert [each.label for each in backwards[::-1]] == [each.label for each in verdicts]
    assert [each.probability for each in backwards[::-1]] == pytest.approx([each.probability for each in verdicts])


async def test_any_question_has_labels_and_probabilities(
    judge: RelevanceJudge, degraded: bool, subtests: pytest.Subtests
) -> None:
    for question in ODD_QUESTIONS:
        with subtests.test(question=question[:20]):
            verdict = await judge.judge(question, PASSAGES)
            assert all(each.label in get_args(RelevanceLabel) for each in verdict.passages)
            assert all(0.0 <= each.probability <= 1.0 for each in verdict.passages)
            assert bool(verdict.provenance.degraded) is degraded
            assert verdict.provenance.implementation in ("embedded", "llm", "adapter")
