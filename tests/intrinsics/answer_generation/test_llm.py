"""What the chat model is asked, what is made of its reply, and what happens when there is none."""

import pytest

from contracts.errors import MalformedReply
from contracts.verdicts import Draft
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from tests.conformance.reading_cases import PASSAGES, make_brief, make_passage, write
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest


def _asked(chat: ScriptedChatModel) -> tuple[str, str]:
    system, user = chat.requests[-1].messages
    assert (system.role, user.role) == ("system", "user")
    return system.content, user.content


async def test_marks_become_claims_and_never_text() -> None:
    reply = "<think>[3]?</think>The P-200 runs at 48 V [1][2.1]. It is quiet [9]. The bearing is greased. [1.2, 1.9]"
    pieces, draft = await write(PromptedAnswerWriter(ScriptedChatModel([reply])), make_brief("?", PASSAGES))
    assert draft.text == "".join(pieces) == "The P-200 runs at 48 V. It is quiet. The bearing is greased."
    claimed = [(draft.text[: each.position].split(". ")[-1], each.passage, each.sentence) for each in draft.claims]
    assert claimed == [
        ("The P-200 runs at 48 V", 0, None),
        ("The P-200 runs at 48 V", 1, 0),
        ("The bearing is greased.", 0, 1),
    ]
    assert draft.passages_read == 3


async def test_an_empty_reply_is_an_error(subtests: pytest.Subtests) -> None:
    for reply in ["", "  \n", "<think>What now?", "[1][2"]:
        with subtests.test(reply=reply), pytest.raises(MalformedReply):
            await write(PromptedAnswerWriter(ScriptedChatModel([reply])), make_brief("?", PASSAGES))


async def test_a_reader_who_stops_early_ends_the_stream() -> None:
    closed = []

    class Endless(ScriptedChatModel):
        async def stream(self, request: ChatRequest):
            try:
                while True:
                    yield "word "
            finally:
                closed.append(True)

    stream = PromptedAnswerWriter(Endless([])).write(make_brief("?", PASSAGES))
    async for piece in stream:
        assert not isinstance(piece, Draft)
        break
    await stream.aclose()  # type: ignore[attr-defined]
    assert closed == [True]


async def test_what_would_stand_behind_the_answer_ends_it() -> None:
    chat = ScriptedChatModel(["48 V."])
    await write(PromptedAnswerWriter(chat), make_brief("What voltage?", PASSAGES))
    _, user = _asked(chat)
    end, question, *turns = chat.requests[-1].stop
    assert end in user
    assert question in user
    assert turns == ["<|im_end|>", "<|im_start|>"]


async def test_passages_that_the_window_does_not_take_are_left_out_by_rank() -> None:
    passages = [make_passage(f"Pump number {rank} runs at {rank} bar. " * 30) for rank in range(1, 6)]
    brief = make_brief("How much?", passages)
    shown = {}
    for limit in (None, 3_000, 2_000):
        chat = ScriptedChatModel(["48 V [1][2]."], max_context_tokens=limit)
        _, draft = await write(PromptedAnswerWriter(chat), brief)
        _, user = _asked(chat)
        shown[limit] = [rank for rank in range(1, 6) if f"Pump number {rank} " in user]
        assert draft.passages_read == len(shown[limit])
        assert [claim.passage for claim in draft.claims] == [0, 1][: len(shown[limit])]
    assert shown[None] == [1, 2, 3, 4, 5]
    assert shown[3_000] == [1, 2, 3]
    assert shown[2_000] == [1]
