from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text import Span
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.scripted_bot import PASSAGE, citation
from ui.passage import render_passage
from ui.words import words_in

ENGLISH = words_in("en")


def test_cited_sentences_are_marked_and_tables_are_tables() -> None:
    row = PASSAGE.index("tDLLK")
    spans = (Span(row, PASSAGE.index("\ntRC")), citation().quote_spans[0])
    page = assert_harmless(render_passage(PASSAGE, spans, ENGLISH))
    assert [each.get_text() for each in page.select("p mark")] == ["The DLL needs 512 clock cycles to lock."]
    assert [each.get_text() for each in page.select("th")] == ["Symbol", "Meaning", "Value"]
    assert [each.get_text() for each in page.select("tr.cited mark")] == ["tDLLK", "DLL lock time", "512 nCK"]
    assert len(page.select("tbody tr")) == 2


def test_a_cell_stays_in_its_column_where_the_one_before_it_is_empty() -> None:
    page = assert_harmless(
        render_passage("Name | Min | Max | Unit\ntBERS | | 3 | ms\ntR | 1 |  | us\ntPR | 20 | |", (), ENGLISH)
    )
    rows = [[cell.get_text() for cell in row.select("td")] for row in page.select("tbody tr")]
    assert rows == [["tBERS", "", "3", "ms"], ["tR", "1", "", "us"], ["tPR", "20", "", ""]]


def test_a_single_line_with_a_bar_is_no_table() -> None:
    page = assert_harmless(render_passage("either a | b", (), ENGLISH))
    assert not page.select("table")


def test_a_huge_table_is_cut_around_the_cited_row_and_says_so() -> None:
    lines = ["h1 | h2", *[f"row {number} | {'x' * 40}" for number in range(1_000)]]
    text = "\n".join(lines)
    start = text.index("row 700")
    page = assert_harmless(render_passage(text, (Span(start, start + 10),), ENGLISH))
    rows = page.select("tbody tr")
    assert len(rows) <= 120
    assert page.select_one("tr.cited").td.get_text() == "row 700"  # type: ignore[union-attr]
    assert "more rows are not shown" in page.get_text()


def test_a_table_with_a_thousand_columns_is_cut() -> None:
    wide = " | ".join(f"c{number}" for number in range(1_000))
    page = assert_harmless(render_passage(f"{wide}\n{wide}", (), ENGLISH))
    assert len(page.select("th")) == 24
    assert "976 more columns are not shown" in page.get_text()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "<", "&", " | ", "\n", "é", "{", "]"]), max_size=60).map("".join),
    st.lists(st.tuples(st.integers(-3, 80), st.integers(-3, 80)), max_size=5),
)
def test_no_character_is_lost_and_only_cited_ones_are_marked(text: str, spans: list[tuple[int, int]]) -> None:
    cited = [Span(start, end) for start, end in spans]
    page = assert_harmless(render_passage(text, cited, ENGLISH))
    kept = [character for character in text if character not in "\n| "]
    assert [character for character in page.get_text() if character not in "\n| "] == kept
    covered = {i for span in cited for i in range(max(0, span.start), min(len(text), span.end))}
    marked = "".join(each.get_text() for each in page.select("mark"))
    strip = str.maketrans("", "", "\n| ")
    assert marked.translate(strip) == "".join(text[i] for i in sorted(covered)).translate(strip)


def test_hostile_passages_are_text() -> None:
    for payload in PAYLOADS:
        for text in (payload, f"a | b\n{payload} | c"):
            assert_harmless(render_passage(text, (Span(0, 5),), ENGLISH))
