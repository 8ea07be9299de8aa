"""Pieces of a text: quotes that stand in it, and cuts between sentences."""

import pytest

from tools.language import cut_at_sentences, find_piece

TEXT = "The boiler B-7 holds\n300 litres (net). It is red."


def test_a_quote_is_found_as_whole_words_white_space_apart(subtests: pytest.Subtests) -> None:
    for piece, found in [
        ("holds 300   litres", "holds\n300 litres"),
        ("(net).", "(net)."),
        ("300 litre", None),
        ("00 litres", None),
        ("Holds 300", None),
        ("holds 30.", None),
        (" \n", None),
    ]:
        with subtests.test(piece=piece):
            span = find_piece(piece, TEXT)
            assert (None if span is None else TEXT[span.start : span.end]) == found


def test_a_text_is_cut_behind_sentences() -> None:
    assert cut_at_sentences("One is here. Two is there. Three is longer than all of them.", 27) == (
        "One is here. Two is there.",
        "Three is longer than all of them.",
    )
    assert cut_at_sentences(" \n ", 10) == ()
