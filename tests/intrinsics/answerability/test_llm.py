"""Answerability on a chat model, and the rule of code behind it."""

import pytest

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.labels import labelled
from tools.chat.base import ChatRequest
from tools.chat.errors import ChatTooLong
from tools.chat.scripted import ScriptedChatModel

QUESTION = "What is the supply voltage of DDR3?"


def ask(question: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="test"))


async def test_the_first_words_log_probability_is_the_verdicts_and_a_bare_word_has_the_stated_one(
    handbook: tuple[Passage, ...],
) -> None:
    chat = ScriptedChatModel([labelled("answer", answer=0.6, un=0.2, The=0.2)])
    verdict = await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), handbook)
    assert verdict.probability == pytest.approx(0.75)
    assert (verdict.provenance.implementation, verdict.provenance.model) == ("llm", "m")
    assert verdict.provenance.prompt_version == "1"
    assert chat.requests[0].top_logprobs == 20
    assert chat.requests[0].json_schema is None
    for word, probability in (("Answerable.", 0.8), ("unanswerable", 0.2)):
        verdict = await PromptedAnswerabilityJudge(ScriptedChatModel([word])).judge(ask(QUESTION), handbook)
        assert verdict.probability == pytest.approx(probability)


async def test_without_passages_nothing_is_asked(make_passage: PassageMaker) -> None:
    chat = ScriptedChatModel([])
    for passages in ([], [make_passage(" \n ")]):
        verdict = await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), passages)
        assert (verdict.probability, verdict.missing) == (0.0, ("DDR3",))
    assert chat.requests == []


async def test_passages_that_do_not_fit_are_left_out_the_last_first(handbook: tuple[Passage, ...]) -> None:
    chat = ScriptedChatModel(["answerable"], max_context_tokens=1_050)
    await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), handbook)
    shown = chat.requests[0].messages[-1].content
    assert "The supply voltage of DDR3 is 1.5 V." in shown
    assert "controller keeps a bad" not in shown

    def refuse_long(request: ChatRequest) -> str:
        if "Wafers" in request.messages[-1].content:
            raise ChatTooLong("Too long.")
        return "answerable"

    verdict = await PromptedAnswerabilityJudge(ScriptedChatModel(refuse_long)).judge(ask(QUESTION), handbook)
    assert verdict.probability == pytest.approx(0.8)
