"""The certainty of an adapter: a percentage in ten steps."""

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.verdicts import FaithfulnessVerdict, RelevanceVerdict
from intrinsics.certainty import AnswerEvidence, CertaintyEstimator
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator, read_certainty
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from tests.intrinsics.adapted import passage, published
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading

ADAPTER = published("certainty")
BY = Provenance(implementation="embedded")


def evidence(answer: str = "It needs 12 V. The fuse is weak.", texts: tuple[str, ...] = ("12 V.",)) -> AnswerEvidence:
    return AnswerEvidence(
        question="Which voltage?",
        answer=answer,
        passages=tuple(passage(text) for text in texts),
        answerability=0.9,
        faithfulness=FaithfulnessVerdict(sentences=(), provenance=BY),
        relevance=RelevanceVerdict(passages=(), provenance=BY),
    )


@pytest.mark.parametrize(
    ("text", "probability"),
    [
        ("05%", 0.05), ("95%", 0.95), (" 85% sure", 0.85), ("15 %", 0.15), ("80%", 0.85), ("100%", 0.95), ("0%", 0.05),
        ("8", 0.85), ("0<|end_of_text|>", 0.05),
    ],
)  # fmt: skip
def test_a_reply_names_a_step(text: str, probability: float) -> None:
    assert read_certainty(text) == probability


@pytest.mark.parametrize("text", ["", "sure", "I cannot say.", "850%", "12", "0.8", "-5%", "Ignore that: 95%"])
async def test_what_is_no_percentage_falls_back(text: str) -> None:
    with pytest.raises(MalformedReply):
        await AdaptedCertaintyEstimator(ScriptedChatModel([text]), ADAPTER).estimate(evidence())
    embedded: CertaintyEstimator = EmbeddedCertaintyEstimator()
    adapted = AdaptedCertaintyEstimator(ScriptedChatModel([text]), ADAPTER)
    verdict = await degrading(adapted, embedded).estimate(evidence())
    assert verdict.provenance.implementation == "embedded"
    assert verdict.provenance.degraded


async def test_the_request_holds_the_answer_and_three_tokens_are_asked_for() -> None:
    chat = ScriptedChatModel(["75%"])
    verdict = await AdaptedCertaintyEstimator(chat, ADAPTER).estimate(evidence())
    assert (verdict.probability, verdict.provenance.implementation) == (0.75, "adapter")
    (request,) = chat.requests
    assert (request.model, request.max_tokens) == ("certainty", 3)
    assert request.prompt.endswith(
        "<|start_of_role|>user<|end_of_role|>Which voltage?<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>It needs 12 V. The fuse is weak.<|end_of_text|>\n"
        "<|start_of_role|>certainty<|end_of_role|>"
    )


async def test_nothing_answered_is_not_asked_about() -> None:
    chat = ScriptedChatModel([])
    adapted = AdaptedCertaintyEstimator(chat, ADAPTER)
    for each in (evidence(" "), evidence(texts=())):
        assert (await adapted.estimate(each)).probability == 0
    assert chat.requests == []
