"""Every implementation of CertaintyEstimator keeps the contract."""

import pytest

from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.base import CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from tests.conformance.answer_evidence import make_evidence
from tests.conformance.checking_chats import adapted_estimate_certainty, estimate_certainty
from tests.intrinsics.adapted import published
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback

VOLTS = "The P-200 pump runs at 48 V."


@pytest.fixture(params=["embedded", "llm", "adapter", "degrading"])
def estimator(request: pytest.FixtureRequest) -> CertaintyEstimator:
    if request.param == "adapter":
        return AdaptedCertaintyEstimator(ScriptedChatModel(adapted_estimate_certainty), published("certainty"))
    if request.param == "llm":
        return PromptedCertaintyEstimator(ScriptedChatModel(estimate_certainty))
    embedded = EmbeddedCertaintyEstimator()
    return (
        with_fallback(PromptedCertaintyEstimator(ScriptedChatModel([])), embedded)
        if request.param == "degrading"
        else embedded
    )


async def test_steps_of_a_tenth_and_more_for_what_is_supported(estimator: CertaintyEstimator, degraded: bool) -> None:
    good = await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.98)))
    bad = await estimator.estimate(
        make_evidence("Penguins devour krill.", ("unfaithful", 0.02), answerability=0.1, relevance=0.1)
    )
    assert 0.0 <= bad.probability < 0.4 < good.probability <= 1.0
    for verdict in (good, bad):
        assert verdict.probability == round(verdict.probability, 1)
        assert bool(verdict.provenance.degraded) is degraded
        assert verdict.provenance.implementation in ("embedded", "llm", "adapter")


async def test_what_nothing_supports_is_never_certain(estimator: CertaintyEstimator) -> None:
    assert (await estimator.estimate(make_evidence(" ", ("faithful", 0.9)))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.9), passages=()))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("unfaithful", 0.05)))).probability <= 0.3
