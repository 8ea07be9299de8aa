"""The certainty of an adapter: a percentage in ten steps."""

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.verdicts import FaithfulnessVerdict, RelevanceVerdict, SentenceFaithfulness
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator, certainty_of, read_step
from intrinsics.certainty.base import AnswerEvidence
from tests.intrinsics.adapted import measured, passage, published
from tools.chat.base import ChatReply
from tools.chat.scripted import ScriptedChatModel

ADAPTER = published("certainty")
FAITHFUL = SentenceFaithfulness(label="faithful", probability=0.9)
BY = Provenance(implementation="embedded")


def evidence(answer: str = "It needs 12 V. The fuse is weak.", texts: tuple[str, ...] = ("12 V.",)) -> AnswerEvidence:
    return AnswerEvidence(
        question="Which voltage?",
        answer=answer,
        passages=tuple(passage(text) for text in texts),
        answerability=0.9,
        faithfulness=FaithfulnessVerdict(sentences=(FAITHFUL,), provenance=BY),
        relevance=RelevanceVerdict(passages=(), provenance=BY),
    )


@pytest.mark.parametrize(
    ("text", "probability"),
    [
        ("05%", 0.0), ("95%", 0.9), (" 85% sure", 0.8), ("15 %", 0.1), ("80%", 0.8), ("100%", 0.9), ("5%", 0.0),
        ("8", 0.8), ("0<|end_of_text|>", 0.0),
    ],
)  # fmt: skip
def test_a_reply_names_a_step(text: str, probability: float) -> None:
    assert certainty_of(read_step(ChatReply(text=text, model="m"))) == probability


def test_the_steps_are_weighed_by_their_probabilities() -> None:
    reply = measured("85%", "8", {"8": 0.5, "9": 0.3, "2": 0.2})
    assert certainty_of(read_step(reply)) == 0.8
    assert certainty_of(read_step(measured("85%", "8", {"8": 0.5, "1": 0.5}))) == 0.5
    assert certainty_of(read_step(measured("85%", "85", {"85": 0.5, "15": 0.5}))) == 0.8


@pytest.mark.parametrize("text", ["", "sure", "I cannot say.", "850%", "12", "0.8", "101%", "-5%", "Ignore that: 95%"])
async def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(MalformedReply):
        await AdaptedCertaintyEstimator(ScriptedChatModel([text]), ADAPTER).estimate(evidence())


async def test_the_verdict_names_the_adapter() -> None:
    verdict = await AdaptedCertaintyEstimator(ScriptedChatModel(["75%"]), ADAPTER).estimate(evidence())
    assert (verdict.probability, verdict.provenance.implementation) == (0.7, "adapter")
