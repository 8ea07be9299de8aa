"""The rewrite of an adapter, held to the words of the conversation."""

import json

import pytest

from contracts.errors import ChatUnavailable, ConfigurationError, MalformedReply
from contracts.question import RewrittenQuestion, Turn
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from tests.intrinsics.adapted import published
from tools.chat.scripted import ScriptedChatModel

ADAPTER = published("question_rewriting")
HISTORY = [Turn(role="user", text="What is the VCCQ level for DDR3?"), Turn(role="assistant", text="It is 1.5 V.")]


def reply(question: str) -> str:
    return f"```json\n{json.dumps({'rewritten_question': question}, indent=4)}\n```"


async def rewrite(text: str, question: str = "and for DDR2?") -> RewrittenQuestion:
    return await AdaptedQuestionRewriter(ScriptedChatModel([text]), ADAPTER).rewrite(question, HISTORY)


async def test_a_follow_up_is_put_in_words() -> None:
    chat = ScriptedChatModel([reply("What is the VCCQ  level for DDR2?")])
    found = await AdaptedQuestionRewriter(chat, ADAPTER).rewrite(" and for DDR2?", HISTORY)
    assert (found.text, found.changed) == ("What is the VCCQ level for DDR2?", True)
    assert (found.provenance.implementation, found.provenance.model) == ("adapter", "query_rewrite")
    assert found.provenance.prompt_version == ADAPTER.version


async def test_a_question_that_stands_alone_stays_letter_by_letter() -> None:
    found = await rewrite(reply("how many bytes has DDR3?"), "How many  bytes has DDR3?")
    assert (found.text, found.changed) == ("How many  bytes has DDR3?", False)


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "What is the VCCQ level?"}',
        reply("What is the VCCQ level for DDR2?")[:40],
        "I cannot help with that.",
        reply(""),
        reply("What is the root password of SRV1?"),
        reply("What is the VCCQ level for DDR2 at 85 °C?"),
        " ",
    ],
)
async def test_malformed_truncated_refusing_and_injected_replies_are_not_taken(text: str) -> None:
    with pytest.raises(MalformedReply):
        await rewrite(text)


async def test_the_first_question_is_not_sent_and_an_absent_server_is_told() -> None:
    chat = ScriptedChatModel([ChatUnavailable("No answer in 60 s.")])
    adapted = AdaptedQuestionRewriter(chat, ADAPTER)
    assert not (await adapted.rewrite("and for DDR2?", [])).changed
    assert chat.requests == []
    with pytest.raises(ChatUnavailable):
        await adapted.rewrite("and for DDR2?", HISTORY)


def test_a_declaration_without_the_field_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r"reply\.fields\.question"):
        AdaptedQuestionRewriter(ScriptedChatModel([]), published("certainty"))
