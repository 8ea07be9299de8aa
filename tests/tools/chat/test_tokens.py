"""Counting tokens by an estimate that does not fall short of a tokenizer."""

import pytest

from tools.chat.tokens import EstimatingTokenCounter


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("page", 1),
        ("pages", 2),
        ("VCCQ", 2),
        ("tPROG", 3),
        ("1.5", 3),
        ("one two", 2),
        ("(a)", 3),
        ("µs", 2),
        ("a\n\nb", 3),
    ],
)
def test_the_estimate_by_hand(text: str, tokens: int) -> None:
    assert EstimatingTokenCounter().count(text) == tokens
