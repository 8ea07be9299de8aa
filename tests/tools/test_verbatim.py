"""Sentences that stand in a passage word by word."""

import pytest

from tests.conformance.reading_cases import LIMITS, PUMP, START, make_passage
from tools.verbatim import find_verbatim

PASSAGES = (PUMP, LIMITS, START)


def test_a_sentence_is_found_with_the_passage_sentences_that_it_covers(subtests: pytest.Subtests) -> None:
    for sentence, place in [
        ("Its bearing is greased every 500 hours.", (0, (1,))),
        ("bearing is greased every 500 hours. The P-300 pump", (0, (1, 2))),
        # What numbers an item is a word of the source; only marks without a meaning are looked past.
        ("- Open the\n  inlet valve.", (2, (1,))),
        ("| P-300 | 96 V | 30 |", (1, (2,))),
        # Some columns of a row, as a table of an answer shows them.
        ("| P-300 | 30 |", (1, (2,))),
        ("1. Open the inlet valve.", (2, (1,))),
    ]:
        with subtests.test(sentence=sentence):
            assert find_verbatim(sentence, PASSAGES) == place


def test_marks_of_markdown_and_white_space_do_not_count() -> None:
    passage = make_passage("• Set the_name of\n  the pump to *.\n• Press start.")
    assert find_verbatim("- Set the\\_name of the pump to \\*.", (passage,)) is not None
    assert find_verbatim("```\nSet the_name of the pump\n```", (passage,)) is not None


def test_what_differs_in_a_word_or_is_too_short_is_not_found(subtests: pytest.Subtests) -> None:
    for sentence in [
        "The P-200 pump runs at 96 V.",
        "P-200 pump",
        "| P-300 | 12 |",
        "| 30 | P-300 |",
        "",
        "earing is greased every",
        "Its bearing is greased every 500",
    ]:
        with subtests.test(sentence=sentence):
            expected = sentence == "Its bearing is greased every 500"
            assert (find_verbatim(sentence, PASSAGES) is not None) is expected


def test_a_short_sentence_is_found_where_it_is_a_whole_line() -> None:
    passage = make_passage("- Status: Extension\n- Module: mod_pump, an extension")
    assert find_verbatim("- Status: Extension", (passage,)) == (0, (0,))
    assert find_verbatim("an extension", (passage,)) is None


def test_the_first_passage_that_holds_it_is_named() -> None:
    twice = (make_passage("The hall is blue."), PUMP, make_passage(PUMP.text, number=5))
    assert find_verbatim("Its bearing is greased every 500 hours.", twice) == (1, (1,))
