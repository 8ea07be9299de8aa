"""The relevance of an adapter: one word a passage, and how probable it is."""

import json

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from tests.intrinsics.adapted import measured, passage, published
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.reading.ranking import QuoteRanker

ADAPTER = published("context_relevance")
PUMP, FUSE = passage("The pump needs 12 V."), passage("The fuse is weak.", 1)
QUESTION = "Which voltage does the pump need?"


def reply(label: str) -> str:
    return f"```json\n{json.dumps({'context_relevance': label}, indent=4)}\n```"


async def test_each_passage_is_asked_about_by_itself() -> None:
    def answer(request: ChatRequest) -> str | ChatReply:
        if "12 V" not in request.prompt:
            return reply("irrelevant")
        shares = {"partially": 0.6, "relevant": 0.3, "ir": 0.1}
        return measured(reply("partially relevant"), "partially", shares)

    chat = ScriptedChatModel(answer)
    verdict = await AdaptedRelevanceJudge(chat, ADAPTER).judge(QUESTION, (PUMP, FUSE))
    assert [each.label for each in verdict.passages] == ["partial", "irrelevant"]
    assert [each.probability for each in verdict.passages] == pytest.approx([0.9, 0.2])
    assert verdict.provenance.model == "context_relevancy"
    assert all(request.prompt.count("<|start_of_role|>document") == 1 for request in chat.requests)
    assert "The pump needs 12 V.<|end_of_text|>\n<|start_of_role|>context_relevance: " in chat.requests[0].prompt
    assert chat.requests[0].max_tokens == 100


@pytest.mark.parametrize(
    "text", [reply("misleading"), reply("relevant")[:30], "I cannot help with that.", '{"label": "relevant"}', ""]
)
async def test_a_reply_that_cannot_be_read_spoils_none_of_the_others(text: str) -> None:
    def answer(request: ChatRequest) -> str:
        return reply("relevant") if "12 V" in request.prompt else text

    embedded = EmbeddedRelevanceJudge(QuoteRanker(OverlapScorer()))
    verdict = await AdaptedRelevanceJudge(ScriptedChatModel(answer), ADAPTER, second=embedded).judge(
        QUESTION, (PUMP, FUSE)
    )
    assert verdict.passages[0].label == "relevant"
    assert verdict.passages[1] == (await embedded.judge(QUESTION, (PUMP, FUSE))).passages[1]
    assert "1 of 2 passages" in verdict.provenance.degraded
    with pytest.raises(MalformedReply):
        await AdaptedRelevanceJudge(ScriptedChatModel([text]), ADAPTER).judge(QUESTION, (FUSE,))


async def test_empty_passages_are_not_sent_and_an_absent_server_is_told() -> None:
    chat = ScriptedChatModel([ChatUnavailable("No answer in 60 s.")])
    judge = AdaptedRelevanceJudge(chat, ADAPTER)
    assert (await judge.judge(QUESTION, (passage(" "),))).passages[0].label == "irrelevant"
    assert (await judge.judge(QUESTION, ())).passages == ()
    assert chat.requests == []
    with pytest.raises(ChatUnavailable):
        await judge.judge(QUESTION, (PUMP,))
