"""What the parts of pages show, and that nothing that anybody wrote runs, loads or leads away."""

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.answer import Outcome
from contracts.documents import PageInfo
from contracts.text import PageBox, Span
from serving.me import Me
from tests.ui.hostile import PAYLOADS, answer_of_text, assert_harmless
from tests.ui.scripted_bot import PASSAGE, citation
from tests.ui.visits import services_of, visit_of
from ui.chat.conversation import Chosen, Conversation, Exchange
from ui.chat.panel import render_panel
from ui.chat.render import render_composer, render_live, render_past
from ui.passage import render_passage
from ui.words import words_in

ENGLISH = words_in("en")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def me_of(**told: Any) -> Me:
    return Me.model_construct(**{"scopes": (), "examples": (), "writer": "", "has_documents": True, **told})


def test_hostile_text_neither_runs_nor_loads_nor_leads_away(subtests: pytest.Subtests) -> None:
    for payload in PAYLOADS:
        with subtests.test(payload=payload):
            exchanges = [
                Exchange(number=number, question=payload, note=payload, finished=True,
                         answer=answer_of_text(payload, outcome), wanted=(payload,) if number % 2 else ())
                for number, outcome in enumerate(OUTCOMES, start=1)
            ]  # fmt: skip
            answer = exchanges[0].answer
            assert answer is not None
            exchanges += [
                Exchange(number=7, question=payload, draft=payload, running=[payload]),
                Exchange(number=8, question=payload, problem=payload, stopped=True, finished=True),
                Exchange(number=9, question=payload, withheld=payload, finished=True),
            ]
            me = me_of(departments=(payload,), examples=(payload,), writer=payload)
            for last in range(1, len(exchanges) + 1):
                conversation = Conversation(id="c", exchanges=exchanges[:last])
                assert_harmless(render_live(conversation, me, payload, ENGLISH))
            assert_harmless(render_past(conversation, payload, ENGLISH))
            assert_harmless(render_live(Conversation(id="c"), me, payload, ENGLISH))
            assert_harmless(render_composer(me, ENGLISH, Chosen(documents=(payload,)), documents={payload: payload}))
            exchange = Exchange(number=1, question="", answer=answer)
            assert_harmless(render_panel(visit_of(services_of()), exchange, answer.citations[0], ()))


def test_an_empty_library_is_said_to_be_and_who_manages_it_is_led_to_it() -> None:
    def shown(**who: Any) -> str:
        return render_live(Conversation(id="c"), me_of(**who), "the manager", ENGLISH)

    assert "There are no documents" not in shown()
    assert "There are no documents" in shown(has_documents=False)
    assert 'href="/documents"' not in shown(has_documents=False)
    assert 'href="/documents"' in shown(has_documents=False, scopes=("manage",))


SHEET = PageInfo(
    page=8, width_pt=600, height_pt=800, width_px=900, height_px=1200, picture="/api/documents/d1/pages/8/picture",
)  # fmt: skip


def test_a_mark_lies_where_its_box_stands_on_the_page_and_ends_at_its_edge() -> None:
    boxes = [
        PageBox(page=8, x0=60, top=80, x1=360, bottom=100),
        PageBox(page=9, x0=0, top=0, x1=600, bottom=800),
        PageBox(page=8, x0=-50, top=700, x1=9_000, bottom=900),
        PageBox(page=8, x0=700, top=0, x1=800, bottom=10),
    ]
    shown = citation().model_copy(update={"boxes": boxes})
    exchange, visit = Exchange(number=1, question=""), visit_of(services_of(), prefix="/bot")
    sheet = assert_harmless(render_panel(visit, exchange, shown, [SHEET]))
    assert [mark["style"] for mark in sheet.select(".highlight")] == [
        "left:10.00%;top:10.00%;width:50.00%;height:2.50%",
        "left:0.00%;top:87.50%;width:100.00%;height:12.50%",
    ]
    image = sheet.select_one("img")
    assert image is not None
    assert (image["src"], image["width"], image["height"]) == ("/bot/api/documents/d1/pages/8/picture", "900", "1200")
    assert sheet.select_one(".open-document")["href"] == "/bot/api/documents/d1/file#page=8"  # type: ignore[index]


def test_cited_sentences_are_marked_and_tables_are_tables() -> None:
    row = PASSAGE.index("tDLLK")
    spans = (Span(row, PASSAGE.index("\ntRC")), citation().quote_spans[0])
    page = assert_harmless(render_passage(PASSAGE, spans))
    assert [each.get_text() for each in page.select("p mark")] == ["The DLL needs 512 clock cycles to lock."]
    assert [each.get_text() for each in page.select("th")] == ["Symbol", "Meaning", "Value"]
    assert [each.get_text() for each in page.select("tr.cited mark")] == ["tDLLK", "DLL lock time", "512 nCK"]
    assert len(page.select("tbody tr")) == 2


def test_a_cell_stays_in_its_column_where_the_one_before_it_is_empty() -> None:
    text = "Name | Min | Max | Unit\ntBERS | | 3 | ms\ntR | 1 |  | us\ntPR | 20 | |"
    page = assert_harmless(render_passage(text, ()))
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
