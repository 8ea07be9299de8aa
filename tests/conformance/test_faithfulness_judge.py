"""Every implementation of FaithfulnessJudge keeps the contract."""

import pytest

from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tests.conformance.checking_chats import adapted_judge_faithfulness
from tests.conformance.reading_cases import PASSAGES
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.adapted import published
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback

QUESTION = "At what voltage does the P-200 run?"


@pytest.fixture(params=["embedded", "adapter", "degrading"])
def judge(request: pytest.FixtureRequest) -> FaithfulnessJudge:
    adapter = published("faithfulness")
    if request.param == "adapter":
        return AdaptedFaithfulnessJudge(ScriptedChatModel(adapted_judge_faithfulness), adapter)
    embedded: FaithfulnessJudge = EmbeddedFaithfulnessJudge(HashingEmbedder())
    down: FaithfulnessJudge = AdaptedFaithfulnessJudge(ScriptedChatModel([]), adapter)
    return with_fallback(down, embedded) if request.param == "degrading" else embedded


async def test_one_verdict_a_sentence_in_their_order(judge: FaithfulnessJudge, degraded: bool) -> None:
    sentences = ["The P-200 pump runs at 48 V.", "Which one do you mean?", "It runs at 60 V.", "Sure, I can help."]
    verdict = await judge.judge(QUESTION, sentences, PASSAGES)
    assert [each.label for each in verdict.sentences] == ["faithful", "no_claim", "unfaithful", "no_claim"]
    assert all(each.reason for each in verdict.sentences if each.label == "unfaithful")
    # Probabilities are those of "faithful".
    assert 0.0 <= verdict.sentences[2].probability < 0.5 < verdict.sentences[0].probability <= 1.0
    assert bool(verdict.provenance.degraded) is degraded
    assert verdict.provenance.implementation in ("embedded", "llm", "adapter")


async def test_nothing_is_faithful_to_nothing(judge: FaithfulnessJudge) -> None:
    verdict = await judge.judge(QUESTION, ["The P-200 pump runs at 48 V."], ())
    assert [(each.label, each.probability) for each in verdict.sentences] == [("unfaithful", 0.0)]
    assert (await judge.judge(QUESTION, [], PASSAGES)).sentences == ()
    assert [each.label for each in (await judge.judge(QUESTION, [""], PASSAGES)).sentences] == ["no_claim"]
