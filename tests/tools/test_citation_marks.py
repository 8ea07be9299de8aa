"""Marks by which a writer names passages."""

import pytest

from tools.citation_marks import cut_marks, find_marks, remove_marks


def test_marks_name_passages_and_sentences(subtests: pytest.Subtests) -> None:
    for line, named in [
        ("It runs [2].", [(2, None)]),
        ("It runs [2.3][4], [5; 6.1].", [(2, 3), (4, None), (5, None), (6, 1)]),
        ("It runs [2-4] or [Passages 7 and 8].", [(2, None), (3, None), (4, None), (7, None), (8, None)]),
        ("It runs 【3†L1-L9】.", [(3, None)]),
        ("It runs [3](https://a.example/7).[4]It stops.", [(3, None), (4, None)]),
        ("In [0, 1], [2](x y), [3]x, [1234], [x1], `[2]`, 【5月】.", []),
    ]:
        with subtests.test(line=line):
            assert [each for mark in find_marks(line) for each in mark.named] == named


def test_a_bracket_behind_a_word_carries_its_name() -> None:
    assert [mark.name for mark in find_marks("DQ[7] or pin_2[3] or 2.5[3] or [4]")] == ["DQ", "pin_2", "", ""]


def test_what_is_cut_leaves_its_place() -> None:
    line, cut = cut_marks("  - [1] It runs [2], and [3] stops.", lambda mark: mark.named != ((3, None),))
    assert line == "  - It runs, and [3] stops."
    assert [place for place, _ in cut] == [3, 11]
    assert cut_marks("[1] It runs.", lambda _: True)[0] == "It runs."


def test_code_and_decimals_stay() -> None:
    text = "It runs [1].\n~~~\nx = y [1]\n~~~\nIt stays in [1.5] V, DQ[7] too [2]."
    assert remove_marks(text) == "It runs.\n~~~\nx = y [1]\n~~~\nIt stays in [1.5] V, DQ[7] too."
