"""What code makes of the replies of combined judgements."""

import json

import pytest

from contracts.errors import MalformedReply
from contracts.jargon import Context, Sense
from contracts.question import Turn
from intrinsics.combined.passages import PromptedPassageJudge
from intrinsics.combined.question import PromptedQuestionReader
from tests.conformance.reading_cases import ask, make_passage
from tests.intrinsics.replies import measured_fields
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply
from tools.jargon.memory import InMemoryJargonDictionary

DICTIONARY = InMemoryJargonDictionary((Sense(id=1, term="BLP", extended_name="ballast pump"),))
CONTEXTS = (Context(name="Machines"), Context(name="Payroll"))
HISTORY = (Turn(role="user", text="Why does the BLP trip?"), Turn(role="assistant", text="Its fuse is weak."))
PASSAGES = tuple(
    make_passage(text) for text in ("The hall is closed.", "The BLP runs at 12 V.", "The old BLP ran at 9 V.", "Hello.")
)
QUESTION = ask("At which voltage does the BLP run?")


def read_reply(question: str, **more: object) -> dict[str, object]:
    return {"question": question, "terms": ["blp", "fuse box"], "context": "A", **more}


async def test_a_follow_up_is_rewritten_and_its_jargon_found_in_the_rewrite() -> None:
    reply = measured_fields(read_reply("How is the fuse of the BLP replaced?"), "context", {"A": 0.7, "C": 0.3})
    reader = PromptedQuestionReader(ScriptedChatModel([reply]), DICTIONARY)
    read = await reader.read("and how is it replaced?", history=HISTORY, contexts=CONTEXTS)
    assert read.rewritten is not None
    assert read.jargon is not None
    assert read.contexts is not None
    assert (read.rewritten.text, read.rewritten.changed) == ("How is the fuse of the BLP replaced?", True)
    assert [(each.text, each.known) for each in read.jargon.mentions] == [("BLP", True)]
    assert read.contexts.best == "Machines"
    assert read.contexts.none_of_these == pytest.approx(0.3)


async def test_a_reply_that_cannot_be_used_is_not_asked_for_again(subtests: pytest.Subtests) -> None:
    for reply in [
        json.dumps(read_reply("Is the fuse of the BLP weak at X99?")),
        json.dumps(read_reply("", context="Z")),
        '{"question": "", "terms": [',
        ChatReply(text=json.dumps(read_reply("")), model="m", finish_reason="length"),
    ]:
        with subtests.test(reply=reply):
            chat = ScriptedChatModel([reply, json.dumps(read_reply(""))])
            with pytest.raises(MalformedReply):
                await PromptedQuestionReader(chat, DICTIONARY).read("and it?", history=HISTORY, contexts=CONTEXTS)
            assert len(chat.requests) == 1


async def test_passages_come_in_the_order_named_and_misleading_ones_last() -> None:
    named = [
        {"passage": 3, "label": "misleading"},
        {"passage": 2, "label": "relevant"},
        {"passage": 9, "label": "partial"},
    ]
    chat = ScriptedChatModel([json.dumps({"passages": named, "answer": "answerable"})])
    judged = await PromptedPassageJudge(chat).judge(QUESTION, PASSAGES)
    assert judged.order == (1, 0, 3, 2)
    assert judged.relevance is not None
    assert [each.label for each in judged.relevance] == ["irrelevant", "relevant", "misleading", "irrelevant"]
    assert judged.answerability is not None
    assert judged.answerability.probability == 0.8
    asked = QUESTION.model_copy(update={"question": "What is the voltage of the ZX-81?"})
    chat = ScriptedChatModel(['{"passages": [], "answer": "answerable"}'])
    unmentioned = (await PromptedPassageJudge(chat).judge(asked, PASSAGES)).answerability
    assert unmentioned is not None
    assert unmentioned.probability <= 0.3
