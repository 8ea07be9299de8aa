"""What is read of a stream's chunks, and where a reply ends: at its length, or where the model repeats itself."""

import re
from contextlib import suppress

import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletionChunk

from contracts.errors import MalformedReply
from tools.chat.completions import piece_of
from tools.chat.reply_limits import ReplyLimits, TruncatedReply


def test_the_first_choice_says_what_comes_and_why_it_ends(subtests: pytest.Subtests) -> None:
    for choices, piece in [
        ([{"delta": {"content": "It is "}, "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"content": "1.2 V."}, "finish_reason": "stop"}], ("1.2 V.", "stop")),
        ([{"delta": None, "finish_reason": "length"}], ("", "length")),
        ([{"text": "It is ", "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"content": ["It"]}}], ("", "")),
        ([], ("", "")),
        ({"0": {}}, ("", "")),
    ]:
        with subtests.test(choices=choices):
            kind = Completion if "'text'" in str(choices) else ChatCompletionChunk
            assert piece_of(kind.construct(id="1", choices=choices)) == piece
    assert [piece_of(chunk) for chunk in (None, "text", [], {"usage": {}})] == [("", "")] * 4


MATRIX = "\n".join(f"| Port {name} | 1.5 V | 1.8 V | 1.2 V | no | no | no | no | yes |" for name in "ABCDEFGH")


def taken(text: str) -> str:
    """Return how much of a text passes, taken in small pieces."""
    limits, passed = ReplyLimits(1_000), ""
    with suppress(MalformedReply):
        for piece in re.findall(r"(?s).{1,5}", text):
            limits.take(piece)
            passed += piece
    return passed


def test_a_phrase_that_comes_again_and_again_ends_the_reply_early(subtests: pytest.Subtests) -> None:
    for phrase in [
        "The level is what the manual says. ",
        "no, ",
        "a" * 70 + " ",
        "The page buffer holds the data that a program operation writes, and the controller checks it before the next "
        "operation begins, which is why the device waits for it. ",
        "最高电压是三伏。",
    ]:
        with subtests.test(phrase=phrase):
            passed = taken("It is not known. " + 40 * phrase)
            assert phrase in passed
            assert len(passed) < 20 * len(phrase)
    # The numbers of a list do not hide what repeats.
    text = "\n".join(f"{number}. Do what the manual says." for number in range(1, 40))
    assert len(taken(text)) < len(text) / 4


def test_what_only_looks_alike_passes(subtests: pytest.Subtests) -> None:
    for text in [MATRIX, "1 2 3 4 5 6 7 8 9 10 " * 2, "It is 5 V. It is 5 V on each of the rails."]:
        with subtests.test(text=text):
            assert taken(text) == text


def test_one_piece_of_any_length_is_refused_unread() -> None:
    with pytest.raises(TruncatedReply):
        ReplyLimits(600).take("a " * 10_000_000)
    with pytest.raises(TruncatedReply):
        ReplyLimits(600).take_whole("a" * 10_000)
