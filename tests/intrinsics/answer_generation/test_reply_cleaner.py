"""What of a chat model's stream belongs to the answer, in whatever pieces it comes."""

import random

import pytest

from contracts.verdicts import ClaimedSource
from intrinsics.answer_generation.reply_cleaner import ReplyCleaner

SOURCE = "Read DQ[15:0] at once. The output stays in [1.2, 2.5] V."
FENCES = ("0123456789ab", "ba9876543210")


def cleaner() -> ReplyCleaner:
    return ReplyCleaner(sentences=(3, 2), source=SOURCE, fences=FENCES)


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


def test_the_answer_is_the_same_in_whatever_pieces_it_comes(subtests: pytest.Subtests) -> None:
    for reply, text in REPLIES:
        with subtests.test(reply=reply):
            whole = cleaner()
            assert whole.feed(reply) + whole.finish() == whole.text == text
            rolls = random.Random(1)
            for cut in (None, *([rolls] * 20)):
                came, reads = in_pieces(reply, cut)
                assert came == reads.text == text
                assert reads.claims == whole.claims


def test_what_the_marks_say_is_kept_with_its_place() -> None:
    reply = "It runs [1].\n\n[2.1] It stops. Both [1-2] hold [9][2.3] `[1]`."
    _, reads = in_pieces(reply)
    assert reads.text == "It runs.\n\nIt stops. Both hold `[1]`."
    assert reads.claims == [
        ClaimedSource(position=7, passage=0),
        ClaimedSource(position=10, passage=1, sentence=0),
        ClaimedSource(position=24, passage=0),
        ClaimedSource(position=24, passage=1),
    ]


def test_thoughts_whose_beginning_the_server_swallowed_void_what_came() -> None:
    came, reads = in_pieces("They ask about the pump [1].\n</think>\nIt runs [2].")
    assert came.startswith("They ask about the pump.")
    assert reads.text == "It runs."
    assert reads.claims == [ClaimedSource(position=7, passage=1)]


def test_text_comes_as_soon_as_it_is_sure() -> None:
    reads = cleaner()
    assert reads.feed("It runs") == "It runs"
    assert reads.feed(" at 48 V [") == " at 48 V"
    assert reads.feed("1]") == ""
    assert reads.feed(" and") == " and"
    assert reads.feed(" `x [1") == ""
    assert reads.feed("]` is") == " `x [1]` is"
    assert reads.feed("\n```\nx [1]") == "\n```"
    assert reads.feed("\ny") == "\nx [1]"


def test_hostile_brackets_come_out_alike_in_any_pieces() -> None:
    rolls = random.Random(3)
    parts = [*"[]12. \n`<(),", "``", "<<passage 1 ", FENCES[0], ">>", "DQ", "[1]"]
    for _ in range(400):
        reply = "".join(rolls.choices(parts, k=rolls.randint(1, 20)))
        whole = cleaner()
        text = whole.feed(reply) + whole.finish()
        came, reads = in_pieces(reply, rolls)
        assert (came, reads.claims) == (text, whole.claims), reply


def test_a_long_line_is_not_read_again_with_every_piece() -> None:
    reads = cleaner()
    line = "The pump runs at 48 V [1] and waits, " * 400
    came = "".join(reads.feed(line[at : at + 5]) for at in range(0, len(line), 5)) + reads.finish()
    assert came == ("The pump runs at 48 V and waits, " * 400).rstrip()
    assert len(reads.claims) == 400
    assert [came[: each.position].endswith("48 V") for each in reads.claims] == [True] * 400
