"""Every implementation of AnswerabilityJudge and of RelevanceJudge keeps its contract."""

import json
from typing import get_args

import pytest

from contracts.verdicts import RelevanceLabel
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from tests.conformance.implementations import implementations
from tests.conformance.reading_cases import ODD_QUESTIONS, ask, make_passage
from tests.intrinsics.adapted import published
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker

TEXTS = ("The pump BLP4 runs at 12 V.", "The hall is closed on Sunday.", " \n", "The pump BLP7 runs at 24 V.")
PASSAGES = tuple(make_passage(text, number=number, score=1 / (1 + number)) for number, text in enumerate(TEXTS))
QUESTION = "At which voltage does the pump BLP4 run?"

gate = implementations(
    lambda: EmbeddedAnswerabilityJudge(QuoteRanker(OverlapScorer())),
    # A model that takes any question about these passages for answered.
    llm=(PromptedAnswerabilityJudge, lambda _: "answerable"),
    adapter=(lambda chat: AdaptedAnswerabilityJudge(chat, published("answerability")), lambda _: "answerable"),
)
relevance = implementations(
    lambda: EmbeddedRelevanceJudge(QuoteRanker(OverlapScorer())),
    adapter=(
        lambda chat: AdaptedRelevanceJudge(chat, published("context_relevance")),
        lambda request: json.dumps({"context_relevance": "relevant" if "12 V" in request.prompt else "irrelevant"}),
    ),
)


async def test_no_passages_hold_no_answer(gate: AnswerabilityJudge) -> None:
    for passages in ((), (make_passage("  \n"),)):
        verdict = await gate.judge(ask(QUESTION), passages)
        assert (verdict.probability, verdict.missing) == (0.0, ("BLP4",))


async def test_a_code_that_no_passage_mentions_is_declined_by_name(gate: AnswerabilityJudge) -> None:
    for name in ("BLP9", "blp9", "tBLP"):
        verdict = await gate.judge(ask(f"At which voltage does the {name} run?"), PASSAGES)
        assert verdict.probability <= 0.3
        assert verdict.missing == (name,)
    assert (await gate.judge(ask(QUESTION), PASSAGES)).missing == ()


async def test_each_passage_has_its_verdict_in_their_order(relevance: RelevanceJudge) -> None:
    assert (await relevance.judge(QUESTION, ())).passages == ()
    verdicts = (await relevance.judge(QUESTION, PASSAGES)).passages
    assert len(verdicts) == len(PASSAGES)
    assert max(range(4), key=lambda index: verdicts[index].probability) == 0
    assert (verdicts[2].label, verdicts[2].probability) == ("irrelevant", 0.0)
    backwards = (await relevance.judge(QUESTION, PASSAGES[::-1])).passages
    assert [each.label for each in backwards[::-1]] == [each.label for each in verdicts]
    assert [each.probability for each in backwards[::-1]] == pytest.approx([each.probability for each in verdicts])


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=range(len(ODD_QUESTIONS)))
async def test_any_question_has_a_probability_and_a_judge(
    gate: AnswerabilityJudge, degraded: bool, question: str
) -> None:
    verdict = await gate.judge(ask(question), PASSAGES)
    assert 0.0 <= verdict.probability <= 1.0
    assert bool(verdict.provenance.degraded) is degraded
    assert verdict.provenance.implementation in ("embedded", "llm", "adapter")
    assert all(term in question for term in verdict.missing)


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=range(len(ODD_QUESTIONS)))
async def test_any_question_has_labels_and_probabilities(
    relevance: RelevanceJudge, degraded: bool, question: str
) -> None:
    verdict = await relevance.judge(question, PASSAGES)
    assert all(each.label in get_args(RelevanceLabel) for each in verdict.passages)
    assert all(0.0 <= each.probability <= 1.0 for each in verdict.passages)
    assert bool(verdict.provenance.degraded) is degraded
    assert verdict.provenance.implementation in ("embedded", "llm", "adapter")
