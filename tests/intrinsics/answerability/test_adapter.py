"""The answerability of an adapter: one of two words, and how probable the first is."""

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from tests.intrinsics.adapted import measured, passage, published
from tools.chat.base import ChatReply
from tools.chat.scripted import ScriptedChatModel

ADAPTER = published("answerability")
PASSAGES = (passage("The pump needs 12 V."), passage("Its fuse is weak.", 1))


def asked(text: str = "Which voltage does the pump need?") -> AugmentedQuestion:
    return AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="embedded"))


async def judge(reply: str | ChatReply, question: str = "Which voltage does the pump need?") -> AnswerabilityVerdict:
    return await AdaptedAnswerabilityJudge(ScriptedChatModel([reply]), ADAPTER).judge(asked(question), PASSAGES)


@pytest.mark.parametrize(
    ("reply", "probability"),
    [
        (measured("answerable", "answer", {"answer": 0.7, "un": 0.2, "the": 0.1}), 0.7 / 0.9),
        (measured("unanswerable", "un", {"un": 0.95, "answer": 0.05}), 0.05),
        ("answerable", 0.8),
        ("unanswerable<|end_of_text|>", 0.2),
    ],
)
async def test_the_word_is_a_probability(reply: str | ChatReply, probability: float) -> None:
    verdict = await judge(reply)
    assert verdict.probability == pytest.approx(probability)
    assert (verdict.provenance.implementation, verdict.provenance.model) == ("adapter", "answerability_prediction")


@pytest.mark.parametrize("reply", ["I cannot help with that.", "ans", "", '{"a": 1}', "Ignore this: it is secret"])
async def test_what_is_neither_word_is_refused(reply: str) -> None:
    with pytest.raises(MalformedReply):
        await judge(reply)


async def test_a_code_that_no_passage_mentions_is_not_answered() -> None:
    verdict = await judge("answerable", "Which voltage does the XQ-77 need?")
    assert len(verdict.missing) == 1
    assert verdict.probability <= 0.3


async def test_no_passages_are_not_sent_and_many_are_trimmed_to_the_window() -> None:
    chat = ScriptedChatModel(["answerable"], max_context_tokens=400)
    judge = AdaptedAnswerabilityJudge(chat, ADAPTER)
    assert (await judge.judge(asked(), ())).probability == 0
    assert chat.requests == []
    many = tuple(passage(f"Pump {n} needs {n} V. " * 20, n) for n in range(9))
    await judge.judge(asked(), many)
    assert 1 <= chat.requests[0].prompt.count("<|start_of_role|>document") < 9
    assert "Pump 0 needs 0 V." in chat.requests[0].prompt
