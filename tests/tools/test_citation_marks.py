"""Marks by which a writer names passages."""

from tools.citation_marks import cut_marks, remove_marks


def test_what_is_cut_leaves_its_place() -> None:
    line, cut = cut_marks("  - [1] It runs [2], and [3] stops.", lambda mark: mark.named != ((3, None),))
    assert line == "  - It runs, and [3] stops."
    assert [place for place, _ in cut] == [3, 11]
    assert cut_marks("[1] It runs.", lambda _: True)[0] == "It runs."


def test_code_and_decimals_stay() -> None:
    text = "It runs [1].\n~~~\nx = y [1]\n~~~\nIt stays in [1.5] V, DQ[7] too [2]."
    assert remove_marks(text) == "It runs.\n~~~\nx = y [1]\n~~~\nIt stays in [1.5] V, DQ[7] too."
