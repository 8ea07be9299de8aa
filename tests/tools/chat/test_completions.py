"""What is read of a stream's chunks, whatever a server puts into them."""

import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletionChunk

from tools.chat.completions import piece_of


def test_the_first_choice_says_what_comes_and_why_it_ends(subtests: pytest.Subtests) -> None:
    for choices, piece in [
        ([{"delta": {"content": "It is "}, "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"content": "1.2 V."}, "finish_reason": "stop"}], ("1.2 V.", "stop")),
        ([{"delta": None, "finish_reason": "length"}], ("", "length")),
        ([{"text": "It is ", "finish_reason": None}], ("It is ", "")),
        ([{"text": "", "finish_reason": "stop"}], ("", "stop")),
        ([{"delta": {"content": ["It"]}}], ("", "")),
        ([{"delta": {"content": "first"}}, {"delta": {"content": "second"}}], ("first", "")),
        ([], ("", "")),
        (None, ("", "")),
    ]:
        with subtests.test(choices=choices):
            kind = Completion if "'text'" in str(choices) else ChatCompletionChunk
            assert piece_of(kind.construct(id="1", choices=choices)) == piece


def test_a_chunk_without_choices_says_nothing(subtests: pytest.Subtests) -> None:
    for chunk in [None, "text", [], {"usage": {}}]:
        with subtests.test(chunk=chunk):
            assert piece_of(chunk) == ("", "")
