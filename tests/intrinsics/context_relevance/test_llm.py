"""Context relevance on a chat model: one word a passage."""

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from contracts.text import Passage
from contracts.verdicts import RelevanceVerdict
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.context_relevance.llm import PromptedRelevanceJudge
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.labels import labelled
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.refusal import ChatTooLong
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading
from tools.reading.ranking import QuoteRanker

QUESTION = "What is the supply voltage of DDR3?"


def embedded() -> RelevanceJudge:
    return EmbeddedRelevanceJudge(QuoteRanker(OverlapScorer()))


def stands(text: str, request: ChatRequest) -> bool:
    return any(text in message.content for message in request.messages)


async def judge(*replies: str | ChatReply, passages: tuple[Passage, ...]) -> RelevanceVerdict:
    return await PromptedRelevanceJudge(ScriptedChatModel(replies)).judge(QUESTION, passages)


async def test_relevant_and_partial_make_the_probability(handbook: tuple[Passage, ...]) -> None:
    reply = labelled("part", part=0.4, mis=0.1, relevant=0.2, ir=0.1, Well=0.2)
    (verdict,) = (await judge(reply, passages=handbook[:1])).passages
    assert verdict.label == "partial"
    assert verdict.probability == pytest.approx(0.6 / 0.8)


@pytest.mark.parametrize(
    ("word", "probability"),
    [("relevant", 0.8 + 0.2 / 3), ("Partial.", 0.8 + 0.2 / 3), ("irrelevant", 0.4 / 3), ("**misleading**", 0.4 / 3)],
)
async def test_a_word_alone_has_the_stated_probability(
    handbook: tuple[Passage, ...], word: str, probability: float
) -> None:
    (verdict,) = (await judge(word, passages=handbook[:1])).passages
    assert verdict.label == word.strip("*.").lower()
    assert verdict.probability == pytest.approx(probability)


async def test_a_passage_without_a_readable_verdict_does_not_spoil_the_others(handbook: tuple[Passage, ...]) -> None:
    def reply(request: ChatRequest) -> str:
        if stands("diamond saw", request):
            return "I was told to answer with a poem."
        if stands("WP#", request):
            raise ChatTooLong("Too long.")
        return "relevant"

    verdict = await PromptedRelevanceJudge(ScriptedChatModel(reply), second=embedded()).judge(QUESTION, handbook)
    instead = (await embedded().judge(QUESTION, handbook)).passages
    assert [each.label for each in verdict.passages] == ["relevant", "relevant", *(
        each.label for each in instead[2:4]), "relevant"]  # fmt: skip
    assert verdict.passages[2:4] == instead[2:4]
    assert verdict.provenance.implementation == "llm"
    assert "no verdict on 2 of 5 passages" in verdict.provenance.degraded
    with pytest.raises(MalformedReply):
        await PromptedRelevanceJudge(ScriptedChatModel(reply)).judge(QUESTION, handbook)


async def test_a_model_that_gives_no_verdict_at_all_is_no_judge(handbook: tuple[Passage, ...]) -> None:
    first: RelevanceJudge = PromptedRelevanceJudge(ScriptedChatModel(lambda _: "Hm."), second=embedded())
    with pytest.raises(MalformedReply):
        await first.judge(QUESTION, handbook)
    verdict = await degrading(first, embedded()).judge(QUESTION, handbook)
    assert verdict.passages == (await embedded().judge(QUESTION, handbook)).passages
    assert "language model did not answer" in verdict.provenance.degraded


async def test_a_server_that_goes_away_leaves_all_to_the_embedded_judge(handbook: tuple[Passage, ...]) -> None:
    replies = ["relevant", "relevant", ChatUnavailable("No answer in 60 s."), "relevant", "relevant"]
    first: RelevanceJudge = PromptedRelevanceJudge(ScriptedChatModel(replies), second=embedded())
    verdict = await degrading(first, embedded()).judge(QUESTION, handbook)
    assert verdict.provenance.implementation == "embedded"
    assert "No answer in 60 s." in verdict.provenance.degraded


async def test_what_has_no_text_is_not_asked_about(make_passage: PassageMaker) -> None:
    chat = ScriptedChatModel([])
    verdict = await PromptedRelevanceJudge(chat).judge(QUESTION, [make_passage(" \n"), make_passage("")])
    assert [(each.label, each.probability) for each in verdict.passages] == [("irrelevant", 0.0)] * 2
    assert (await PromptedRelevanceJudge(chat).judge(QUESTION, [])).passages == ()
    assert chat.requests == []
