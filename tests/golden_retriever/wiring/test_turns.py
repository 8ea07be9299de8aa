"""Threads take short turns while a server runs."""

import sys

from golden_retriever.wiring.turns import short_turns


def test_turns_are_short_within_the_block_and_as_before_after_it() -> None:
    before = sys.getswitchinterval()
    with short_turns():
        within = sys.getswitchinterval()
    assert within < before
    assert sys.getswitchinterval() == before
