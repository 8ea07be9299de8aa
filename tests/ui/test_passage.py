from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text import Span
from tests.ui.hostile import PAYLOADS, assert_harmless
from tests.ui.scripted_bot import PASSAGE, citation
from ui.passage import render_passage


def test_cited_sentences_are_marked_and_tables_are_tables() -> None:
    row = PASSAGE.index("tDLLK")
    spans = (Span(row, PASSAGE.index("\ntRC")), citation().quote_spans[0])
    page = assert_harmless(render_passage(PASSAGE, spans))
    assert [each.get_text() for each in page.select("p mark")] == ["The DLL needs 512 clock cycles to lock."]
    assert [each.get_text() for each in page.select("th")] == ["Symbol", "Meaning", "Value"]
    assert [each.get_text() for each in page.select("tr.cited mark")] == ["tDLLK", "DLL lock time", "512 nCK"]
    assert len(page.select("tbody tr")) == 2


def test_a_cell_stays_in_its_column_where_the_one_before_it_is_empty() -> None:
    page = assert_harmless(
        render_passage("Name | Min | Max | Unit\ntBERS | | 3 | ms\ntR | 1 |  | us\ntPR | 20 | |", ())
    )
    rows = [[cell.get_text() for cell in row.select("td")] for row in page.select("tbody tr")]
    assert rows == [["tBERS", "", "3", "ms"], ["tR", "1", "", "us"], ["tPR", "20", "", ""]]


def test_an_excerpt_holds_the_paragraphs_and_rows_of_what_is_cited() -> None:
    text = f"{PASSAGE}\n\nNothing of this is cited."
    row = text.index("tDLLK")
    cited = (*citation().quote_spans, Span(row, text.index("\ntRC")))
    page = assert_harmless(render_passage(text, cited, excerpt=True))
    assert [each.get_text() for each in page.select("p mark")] == ["The DLL needs 512 clock cycles to lock."]
    assert "It must be reset" in page.get_text()
    assert [each.get_text(" ") for each in page.select("tr")] == ["Symbol Meaning Value", "tDLLK DLL lock time 512 nCK"]
    assert "Nothing of this" not in page.get_text()
    assert not assert_harmless(render_passage("All of it.", (Span(0, 9),), excerpt=True)).select("mark")


def test_a_single_line_with_a_bar_is_no_table_and_hostile_passages_are_text() -> None:
    assert not assert_harmless(render_passage("either a | b", ())).select("table")
    for payload in PAYLOADS:
        for text in (payload, f"a | b\n{payload} | c"):
            assert_harmless(render_passage(text, (Span(0, 5),)))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "<", "&", " | ", "\n", "é", "{", "]"]), max_size=60).map("".join),
    st.lists(st.tuples(st.integers(-3, 80), st.integers(-3, 80)), max_size=5),
)
def test_no_character_is_lost_and_only_cited_ones_are_marked(text: str, spans: list[tuple[int, int]]) -> None:
    cited = [Span(start, end) for start, end in spans]
    page = assert_harmless(render_passage(text, cited))
    kept = [character for character in text if character not in "\n| "]
    assert [character for character in page.get_text() if character not in "\n| "] == kept
    covered = {i for span in cited for i in range(max(0, span.start), min(len(text), span.end))}
    marked = "".join(each.get_text() for each in page.select("mark"))
    strip = str.maketrans("", "", "\n| ")
    assert marked.translate(strip) == "".join(text[i] for i in sorted(covered)).translate(strip)
