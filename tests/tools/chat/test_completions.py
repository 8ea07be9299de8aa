"""What is read of a stream's chunks, whatever a server puts into them."""

from typing import Any

import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletionChunk

from tools.chat.completions import piece_of


@pytest.mark.parametrize(
    ("choices", "piece"),
    [
        ([{"delta": {"content": "It is "}, "finish_reason": None}], ("It is ", "")),
        ([{"delta": {"role": "assistant"}}], ("", "")),
        ([{"delta": {"content": "1.2 V."}, "finish_reason": "stop"}], ("1.2 V.", "stop")),
        ([{"delta": None, "finish_reason": "length"}], ("", "length")),
        ([{"text": "It is ", "finish_reason": None}], ("It is ", "")),
        ([{"text": "", "finish_reason": "stop"}], ("", "stop")),
        ([{"delta": {"content": ["It"]}}], ("", "")),
        ([{"delta": {"content": "first"}}, {"delta": {"content": "second"}}], ("first", "")),
        (["none"], ("", "")),
        ([], ("", "")),
        (None, ("", "")),
        ({"0": {}}, ("", "")),
    ],
)
def test_the_first_choice_says_what_comes_and_why_it_ends(choices: Any, piece: tuple[str, str]) -> None:
    kind = Completion if "'text'" in str(choices) else ChatCompletionChunk
    assert piece_of(kind.construct(id="1", choices=choices)) == piece


@pytest.mark.parametrize("chunk", [None, "text", [], 1, {}, {"usage": {}}])
def test_a_chunk_without_choices_says_nothing(chunk: Any) -> None:
    assert piece_of(chunk) == ("", "")
