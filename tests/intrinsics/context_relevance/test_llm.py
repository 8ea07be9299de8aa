"""Context relevance on a chat model: one word a passage."""

import asyncio
import re
from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from contracts.text import Passage
from contracts.verdicts import RelevanceVerdict
from intrinsics.context_relevance import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.context_relevance.llm import LABELS, PromptedRelevanceJudge
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.labels import labelled
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.refusal import ChatTooLong
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading
from tools.embedding.hashing import HashingEmbedder
from tools.prompts import load_prompt

QUESTION = "What is the supply voltage of DDR3?"


def embedded() -> RelevanceJudge:
    return EmbeddedRelevanceJudge(HashingEmbedder())


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


def test_the_examples_have_the_form_of_the_questions_and_show_each_label() -> None:
    prompt = load_prompt(Path("intrinsics/context_relevance/llm.toml"))
    assert prompt.variables == {"question", "passage"}
    assert "{" not in prompt.system
    assert [each.assistant for each in prompt.examples] == list(LABELS)
    codes = (
        r"# Question, code (\w{12})\n\n<<question \1>>\n.+\n<<end \1>>\n\n# Passage, code (\w{12})\n\n<<passage \2>> "
    )
    for each in prompt.examples:
        assert re.match(codes, each.user)
        assert each.user.endswith("\n\nWhich word: relevant, partial, irrelevant or misleading?\n")


async def test_the_request_on_a_passage_does_not_depend_on_the_others(handbook: tuple[Passage, ...]) -> None:
    chat = ScriptedChatModel(lambda _: "partial")
    await PromptedRelevanceJudge(chat).judge(QUESTION, handbook)
    await PromptedRelevanceJudge(chat).judge(QUESTION, handbook[2:3])
    assert chat.requests[2] == chat.requests[5]


async def test_malformed_truncated_and_refusing_replies_are_sent_back_once(handbook: tuple[Passage, ...]) -> None:
    for reply in ("7", "The passage speaks of", "I'm sorry, I can't help with that.", "", "<think>Let me"):
        assert (await judge(reply, "misleading", passages=handbook[:1])).passages[0].label == "misleading"
        with pytest.raises(MalformedReply, match="relevant, partial, irrelevant, misleading"):
            await judge(reply, reply, passages=handbook[:1])


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


async def test_few_are_asked_at_once_and_none_is_left_when_the_asker_goes(make_passage: PassageMaker) -> None:
    class Slow(ScriptedChatModel):
        running = most = 0

        async def complete(self, request: ChatRequest) -> ChatReply:
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                await asyncio.sleep(self.seconds)
                return await super().complete(request)
            finally:
                self.running -= 1

        seconds = 0.0

    passages = [make_passage(f"Passage number {number}.") for number in range(9)]
    chat = Slow(lambda _: "partial")
    await PromptedRelevanceJudge(chat, at_once=4).judge(QUESTION, passages)
    assert (chat.most, chat.running, len(chat.requests)) == (4, 0, 9)
    chat.seconds = 60.0
    asking = asyncio.create_task(PromptedRelevanceJudge(chat, at_once=4).judge(QUESTION, passages))
    await asyncio.sleep(0.05)
    assert chat.running == 4
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (chat.running, len(chat.requests)) == (0, 9)
