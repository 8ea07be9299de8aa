"""What the chat model is asked, what of its stream belongs to the answer, and what happens when there is none."""

import random

import pytest

from contracts.errors import MalformedReply
from contracts.verdicts import ClaimedSource, Draft
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.answer_generation.reply_cleaner import ReplyCleaner
from tests.conformance.reading_cases import PASSAGES, make_brief, make_passage, write
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest


async def test_citation_marks_become_claims_and_are_removed_from_the_text() -> None:
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


async def test_an_empty_reply_is_an_error() -> None:
    for reply in ("", "  \n", "<think>What now?", "[1][2"):
        with pytest.raises(MalformedReply):
            await write(PromptedAnswerWriter(ScriptedChatModel([reply])), make_brief("?", PASSAGES))


async def test_closing_the_answer_early_ends_the_stream() -> None:
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


async def test_request_has_stop_sequences_for_text_after_the_answer() -> None:
    chat = ScriptedChatModel(["48 V."])
    await write(PromptedAnswerWriter(chat), make_brief("What voltage?", PASSAGES))
    user = chat.requests[-1].messages[1].content
    end, question, *turns = chat.requests[-1].stop
    assert end in user
    assert question in user
    assert turns == ["<|im_end|>", "<|im_start|>"]


async def test_passages_beyond_the_window_are_left_out_by_rank() -> None:
    passages = [make_passage(f"Pump number {rank} runs at {rank} bar. " * 30) for rank in range(1, 6)]
    brief = make_brief("How much?", passages)
    shown = {}
    for limit in (None, 3_000, 2_000):
        chat = ScriptedChatModel(["48 V [1][2]."], max_context_tokens=limit)
        _, draft = await write(PromptedAnswerWriter(chat), brief)
        user = chat.requests[-1].messages[1].content
        shown[limit] = [rank for rank in range(1, 6) if f"Pump number {rank} " in user]
        assert draft.passages_read == len(shown[limit])
        assert [claim.passage for claim in draft.claims] == [0, 1][: len(shown[limit])]
    assert shown[None] == [1, 2, 3, 4, 5]
    assert shown[3_000] == [1, 2, 3]
    assert shown[2_000] == [1]


SOURCE = "Read DQ[15:0] at once. The output stays in [1.2, 2.5] V."
CODES = ("0123456789ab", "ba9876543210")


def cleaner() -> ReplyCleaner:
    return ReplyCleaner(sentences=(3, 2), source=SOURCE, codes=CODES)


def in_pieces(reply: str, cut: random.Random | None = None) -> tuple[str, ReplyCleaner]:
    """Feed a reply letter by letter, or in pieces as ``cut`` has it; return what came, and the cleaner."""
    reads = cleaner()
    came, rest = "", reply
    while rest:
        size = cut.randint(1, 9) if cut else 1
        came += reads.feed(rest[:size])
        rest = rest[size:]
    return came + reads.finish(), reads


REPLIES = [
    ("It runs at 48 V [1].", "It runs at 48 V."),
    ("It runs [1][2] at 48 V [1, 2].", "It runs at 48 V."),
    ("It runs at 48 V. [1] [2.1]\n\nIt stops.[2]", "It runs at 48 V.\n\nIt stops."),
    ("It runs at 48 V[2]. It weighs 2.5[2] ([1], [2]) kg [1], [2].", "It runs at 48 V. It weighs 2.5 kg."),
    ("It runs ([1][2]) at 48 V 【2†source】 [passage 2] [1-2].", "It runs at 48 V."),
    ("[1.2] It runs.\n- [2.1] It stops [2]\n- It waits [2]", "It runs.\n- It stops\n- It waits"),
    ("Read DQ[2] and DQ[15:0] first [1].", "Read DQ[2] and DQ[15:0] first."),
    ("It stays in [1.2, 2.5] V or [0, 1].", "It stays in [1.2, 2.5] V or [0, 1]."),
    ("Call `f = [1, 2]` or ``x [2] ` [1]`` [1].", "Call `f = [1, 2]` or ``x [2] ` [1]``."),
    ("So:\n```python\nx = [1, 2]  # [1]\n```\nIt runs [1].", "So:\n```python\nx = [1, 2]  # [1]\n```\nIt runs."),
    ("An odd ` does not hide [1] this.", "An odd ` does not hide this."),
    ("See [1](http://a.example/2) and [x](y) and [see below].", "See and [x](y) and [see below]."),
    ("It runs [1](#p2), [2](a b) is [2]catenane.[1]It stops.", "It runs, [2](a b) is [2]catenane.It stops."),
    ("| Pump | 48 V [1] |\n| Fan | 12 V [2] |", "| Pump | 48 V |\n| Fan | 12 V |"),
    ("**It runs [1].** It *stops* [2]", "**It runs.** It *stops*"),
    ("<think>They ask [1].</think>\n\nIt runs.", "It runs."),
    ("<Reasoning>\nIf a < b\n</Reasoning> It runs.", "It runs."),
    ("<think>It never ends [1]", ""),
    ("  It runs.  \n", "It runs."),
    ("Use a < b <c and a << b <<d.", "Use a < b <c and a << b <<d."),
    ("<<passage 1 0123456789ab>>\nIt runs <<end 1 0123456789ab>> now.", "It runs  now."),
    ("The code ba9876543210 says: it runs 0123456789abc.", "The code  says: it runs 0123456789abc."),
    ("It runs at 48 V [1][2.", "It runs at 48 V"),
    ("It runs at 48 V <<end 1 01234", "It runs at 48 V"),
    ("Read DQ[1", "Read DQ[1"),
    ("Water boils at 100 °C；電圧は48 Vです[1]。次", "Water boils at 100 °C；電圧は48 Vです。次"),
]


def test_answer_does_not_depend_on_how_the_stream_is_split() -> None:
    for reply, text in REPLIES:
        whole = cleaner()
        assert whole.feed(reply) + whole.finish() == whole.text == text
        rolls = random.Random(1)
        for cut in (None, *([rolls] * 20)):
            came, reads = in_pieces(reply, cut)
            assert came == reads.text == text
            assert reads.claims == whole.claims


def test_citation_marks_are_kept_with_their_positions() -> None:
    reply = "It runs [1].\n\n[2.1] It stops. Both [1-2] hold [9][2.3] `[1]`."
    _, reads = in_pieces(reply)
    assert reads.text == "It runs.\n\nIt stops. Both hold `[1]`."
    assert reads.claims == [
        ClaimedSource(position=7, passage=0),
        ClaimedSource(position=10, passage=1, sentence=0),
        ClaimedSource(position=24, passage=0),
        ClaimedSource(position=24, passage=1),
    ]
    # The end of thoughts without a beginning discards the text before it.
    came, reads = in_pieces("They ask about the pump [1].\n</think>\nIt runs [2].")
    assert came.startswith("They ask about the pump.")
    assert reads.text == "It runs."
    assert reads.claims == [ClaimedSource(position=7, passage=1)]


def test_text_is_streamed_as_soon_as_it_is_final() -> None:
    reads = cleaner()
    assert reads.feed("It runs") == "It runs"
    assert reads.feed(" at 48 V [") == " at 48 V"
    assert reads.feed("1]") == ""
    assert reads.feed(" and") == " and"
    assert reads.feed(" `x [1") == ""
    assert reads.feed("]` is") == " `x [1]` is"
    assert reads.feed("\n```\nx [1]") == "\n```"
    assert reads.feed("\ny") == "\nx [1]"


def test_hostile_brackets_give_the_same_text_however_the_stream_is_split() -> None:
    rolls = random.Random(3)
    parts = [*"[]12. \n`<(),", "``", "<<passage 1 ", CODES[0], ">>", "DQ", "[1]"]
    for _ in range(400):
        reply = "".join(rolls.choices(parts, k=rolls.randint(1, 20)))
        whole = cleaner()
        text = whole.feed(reply) + whole.finish()
        came, reads = in_pieces(reply, rolls)
        assert (came, reads.claims) == (text, whole.claims), reply
