"""What is read of a stream's chunks, whatever a server puts into them."""

from typing import Any

import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletionChunk

from tools.chat.choices import piece_of


@pytest.mark.parametrize(
    ("choices", "piece"),
    [
        ([{"delta": {"content": "It is "}, "finish_reason": None}], ("It is ", False)),
        ([{"delta": {"role": "assistant"}}], ("", False)),
        ([{"delta": {"content": "1.2 V."}, "finish_reason": "stop"}], ("1.2 V.", True)),
        ([{"delta": None, "finish_reason": "length"}], ("", True)),
        ([{"text": "It is ", "finish_reason": None}], ("It is ", False)),
        ([{"text": "", "finish_reason": "stop"}], ("", True)),
        ([{"delta": {"content": ["It"]}}], ("", False)),
        ([{"delta": {"content": "first"}}, {"delta": {"content": "second"}}], ("first", False)),
        (["none"], ("", False)),
        ([], ("", False)),
        (None, ("", False)),
        ({"0": {}}, ("", False)),
    ],
)
def test_the_first_choice_says_what_comes_and_whether_it_is_the_last(choices: Any, piece: tuple[str, bool]) -> None:
    kind = Completion if "'text'" in str(choices) else ChatCompletionChunk
    assert piece_of(kind.construct(id="1", choices=choices)) == piece


@pytest.mark.parametrize("chunk", [None, "text", [], 1, {}, {"usage": {}}])
def test_a_chunk_without_choices_says_nothing(chunk: Any) -> None:
    assert piece_of(chunk) == ("", False)
