"""Counting tokens by an estimate that does not fall short of a tokenizer."""

import pytest

from tools.chat.tokens import EstimatingTokenCounter


def test_the_estimate_by_hand(subtests: pytest.Subtests) -> None:
    for text, tokens in [
        ("", 0),
        ("a", 1),
        ("pages", 2),
        ("tPROG", 3),
        ("1.5", 3),
        ("(a)", 3),
        ("µs", 2),
        ("a\n\nb", 3),
    ]:
        with subtests.test(text=text):
            assert EstimatingTokenCounter().count(text) == tokens
