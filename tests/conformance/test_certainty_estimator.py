"""Every implementation of CertaintyEstimator keeps the contract."""

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import (
    FaithfulnessLabel,
    FaithfulnessVerdict,
    PassageRelevance,
    RelevanceVerdict,
    SentenceFaithfulness,
)
from intrinsics.certainty import AnswerEvidence, CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from tests.conformance.checking_chats import estimate_certainty
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import ScriptedChatModel

MADE = Provenance(implementation="test")


@pytest.fixture(params=["embedded", "llm"])
def estimator(request: pytest.FixtureRequest) -> CertaintyEstimator:
    if request.param == "llm":
        return PromptedCertaintyEstimator(ScriptedChatModel(estimate_certainty))
    return EmbeddedCertaintyEstimator()


def known(answer: str, label: FaithfulnessLabel, probability: float, *, passages: int = 3) -> AnswerEvidence:
    return AnswerEvidence(
        question="At what voltage does the P-200 run?",
        answer=answer,
        passages=PASSAGES[:passages],
        answerability=probability,
        faithfulness=FaithfulnessVerdict(
            sentences=(SentenceFaithfulness(label=label, probability=probability),), provenance=MADE
        ),
        relevance=RelevanceVerdict(
            passages=(PassageRelevance(label="relevant", probability=probability),) * passages, provenance=MADE
        ),
    )


async def test_steps_of_a_tenth_and_more_for_what_is_supported(estimator: CertaintyEstimator) -> None:
    good = await estimator.estimate(known("The P-200 pump runs at 48 V.", "faithful", 0.98))
    bad = await estimator.estimate(known("Penguins devour krill.", "unfaithful", 0.02))
    assert 0.0 <= bad.probability < 0.4 < good.probability <= 1.0
    for verdict in (good, bad):
        assert verdict.probability == round(verdict.probability, 1)
        assert verdict.provenance.implementation in ("embedded", "llm")


async def test_no_answer_and_no_passages_have_no_certainty(estimator: CertaintyEstimator) -> None:
    assert (await estimator.estimate(known(" ", "faithful", 0.9))).probability == 0.0
    assert (await estimator.estimate(known("It runs at 48 V.", "faithful", 0.9, passages=0))).probability == 0.0


async def test_what_nothing_supports_is_never_certain(estimator: CertaintyEstimator) -> None:
    verdict = await estimator.estimate(known("The P-200 pump runs at 48 V.", "unfaithful", 0.05))
    assert verdict.probability <= 0.3
