"""Answerability on a chat model, and the rule of code behind it."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.labels import labelled
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.errors import ChatTooLong
from tools.chat.scripted import ScriptedChatModel

QUESTION = "What is the supply voltage of DDR3?"


def ask(question: str, *readings: Reading, text: str = "") -> AugmentedQuestion:
    return AugmentedQuestion(
        question=question, text=text or question, readings=readings, provenance=Provenance(implementation="test")
    )


async def judge(passages: tuple[Passage, ...], *replies: str | ChatReply, question: str = QUESTION) -> float:
    verdict = await PromptedAnswerabilityJudge(ScriptedChatModel(replies)).judge(ask(question), passages)
    return verdict.probability


async def test_the_first_words_log_probability_is_the_verdicts(handbook: tuple[Passage, ...]) -> None:
    chat = ScriptedChatModel([labelled("answer", answer=0.6, un=0.2, The=0.2)])
    verdict = await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), handbook)
    assert verdict.probability == pytest.approx(0.75)
    assert (verdict.provenance.implementation, verdict.provenance.model) == ("llm", "m")
    assert verdict.provenance.prompt_version == "1"
    assert chat.requests[0].top_logprobs == 20
    assert chat.requests[0].json_schema is None


async def test_a_word_alone_has_the_stated_probability(handbook: tuple[Passage, ...]) -> None:
    assert await judge(handbook, "Answerable.") == pytest.approx(0.8)
    assert await judge(handbook, "unanswerable") == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("question", "missing"),
    [("What is the supply voltage of DDR5?", "DDR5"), ("How long does tCBSY take?", "tCBSY")],
)
async def test_a_code_that_no_passage_mentions_is_declined_whatever_the_model_says(
    handbook: tuple[Passage, ...], question: str, missing: str
) -> None:
    chat = ScriptedChatModel([labelled("answerable", answerable=0.99)])
    verdict = await PromptedAnswerabilityJudge(chat).judge(ask(question), handbook)
    assert (verdict.probability, verdict.missing) == (0.3, (missing,))


async def test_the_dictionary_lets_a_code_be_said_otherwise(make_passage: PassageMaker) -> None:
    passages = [make_passage("Physical layer retransmission repeats a frame at most four times.")]
    sense = Sense(id=1, term="PLR4", extended_name="Physical Layer Retransmission")
    reading = Reading(mention=Mention(text="PLR4", span=Span(17, 21), term="PLR4"), status="chosen", sense=sense)
    text = "How often does a PLR4 repeat a frame?"
    answered = ScriptedChatModel(lambda _: "answerable")
    plain = await PromptedAnswerabilityJudge(answered).judge(ask(text), passages)
    read = await PromptedAnswerabilityJudge(answered).judge(ask(text, reading), passages)
    assert (plain.probability, plain.missing) == (0.3, ("PLR4",))
    assert (read.probability, read.missing) == (pytest.approx(0.8), ())


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

    assert await judge_by(ScriptedChatModel(refuse_long), handbook) == pytest.approx(0.8)


async def judge_by(chat: ScriptedChatModel, passages: tuple[Passage, ...]) -> float:
    return (await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), passages)).probability
