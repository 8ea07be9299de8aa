"""Passages parted into what a reader would quote, and into what they state piece by piece."""

from hypothesis import given
from hypothesis import strategies as st

from contracts.text import BlockKind, Passage
from tests.conformance.reading_cases import make_passage
from tools.reading.features import view_question
from tools.reading.questions import analyse_question
from tools.reading.quoted_answers import quote_answers
from tools.reading.quotes import Quote, quoted_text, read_quotes
from tools.reading.ranking import FEATURE_NAMES, RankedQuote, place_of
from tools.reading.statements import read_statements


def _quoted(passage: Passage) -> list[tuple[str, str]]:
    return [(each.kind, quoted_text(passage.text, each)) for each in read_quotes(passage)]


def _ranked(*quotes: Quote) -> list[RankedQuote]:
    features = (0.0,) * len(FEATURE_NAMES)
    return [
        RankedQuote(quote=each, passage=0, score=1.0, key=each.span, features=features, answer_type=0, conflict=False)
        for each in quotes
    ]


def test_short_paragraph_is_one_quote_and_a_long_one_is_split() -> None:
    passage = make_passage("The pump is blue. It runs all day.\n\nThe hall is closed.")
    assert _quoted(passage) == [("prose", "The pump is blue. It runs all day."), ("prose", "The hall is closed.")]
    # A sentence that does not introduce the list is not part of it.
    passage = make_passage("The pump is, for example, blue.\n- Open the valve.\n- Press start.")
    assert [kind for kind, _ in _quoted(passage)] == ["prose", "list"]
    assert all(each.lead is None for each in read_quotes(passage))
    # A long paragraph is split evenly between sentences.
    sentences = [f"Valve number {number} is checked by the night shift every week." for number in range(12)]
    passage = make_passage(" ".join(sentences))
    quotes = read_quotes(passage)
    assert [quoted_text(passage.text, each) for each in quotes] == [" ".join(sentences[:6]), " ".join(sentences[6:])]
    assert {(each.whole.start, each.whole.end) for each in quotes} == {(0, len(passage.text))}


def test_quotes_do_not_contain_section_headings() -> None:
    text = "Use\nSafety:\nWear gloves.\n\nStart it as follows.\nCommands\n\n$ pumpctl start\n$ pumpctl log\nCare\n- oil"
    passage = make_passage(text, inside=("Use", "Safety:", "Commands", "Care"))
    assert [(quoted_text(text, each), place_of(passage, each)) for each in read_quotes(passage)] == [
        ("Wear gloves.", "Handbook > Use > Safety:"),
        ("Start it as follows.", "Handbook > Use > Safety:"),
        ("$ pumpctl start\n$ pumpctl log", "Handbook > Commands"),
        ("- oil", "Handbook > Care"),
    ]


def test_long_list_is_split_without_separating_nested_items() -> None:
    items = [
        f"- Step {number} of the night shift\n  - open the inlet valve of hall {number} and wait\n  - tell the desk"
        for number in range(8)
    ]
    passage = make_passage("Do this in order:\n" + "\n".join(items), kind="list")
    quotes = read_quotes(passage)
    assert len(quotes) > 1
    for quote in quotes:
        text = passage.text[quote.span.start : quote.span.end]
        assert text.startswith("- Step")
        assert text.endswith("tell the desk")
        assert quote.lead == quotes[0].lead
    assert "\n".join(passage.text[each.span.start : each.span.end] for each in quotes) == "\n".join(items)
    # An item with a bar is not a table row.
    items = "- mode = on | off: Turns the pump on.\n- rate = Integer | infinity: Its rate.\n- name: Its name."
    assert _quoted(make_passage(items)) == [("list", items)]
    rows = "- | 5 V\n- | 7 V"
    assert _quoted(make_passage(rows)) == [("table", rows)]


def test_long_code_is_split_where_the_indent_decreases() -> None:
    functions = [
        "\n".join([f"def step_{number}(pump):", *(f"    pump.turn({turn}, at={number})" for turn in range(40))])
        for number in range(4)
    ]
    passage = make_passage("\n".join(functions), kind="code")
    assert [text for _, text in _quoted(passage)] == functions


_LINES = st.sampled_from(
    ["The pump is blue.", "it runs", "- one", "  - two", "1. three", "a | b", "c | d | e", "$ ls", "", "x = 1;"]
)


@given(st.lists(_LINES, max_size=12).map("\n".join) | st.text(max_size=80), st.sampled_from(["paragraph", "table"]))
def test_no_quote_loses_or_repeats_text(text: str, kind: BlockKind) -> None:
    passage = make_passage(text, kind=kind)
    quotes = read_quotes(passage)
    end = 0
    for quote in quotes:
        assert end <= quote.span.start < quote.span.end <= len(text)
        assert quote.whole.start <= quote.span.start < quote.span.end <= quote.whole.end
        end = quote.span.end
    quoted = [span for quote in quotes for span in (quote.span, quote.lead) if span is not None]
    left = "".join(text[at] for at in range(len(text)) if not any(span.start <= at < span.end for span in quoted))
    assert left.strip() == ""


def test_broken_lines_are_joined_and_empty_lines_separate_statements() -> None:
    statements = read_statements(make_passage("The pump is blue and\nruns all day. It never\nstops."), 0)
    assert [statement.text for statement in statements] == ["The pump is blue and runs all day.", "It never stops."]
    assert len(statements[0].sentences) == 2
    headings = read_statements(make_passage("Pumps of the house\n\nthey are blue"), 0)
    assert [statement.text for statement in headings] == ["Pumps of the house", "they are blue"]
    # A table in running text is read as rows.
    statements = read_statements(make_passage("Data of the pumps.\nModel | Voltage\nP-200 | 48 V\n\nAll are blue."), 0)
    assert [statement.kind for statement in statements] == ["sentence", "row", "sentence"]
    assert statements[1].header == (1,)
    assert statements[1].sentences == (2,)


def test_list_items_know_their_introduction() -> None:
    statements = read_statements(make_passage("To start:\n1. Open the valve.\n2. Press start. Wait for a minute."), 0)
    items = [statement for statement in statements if statement.kind == "item"]
    assert [(item.text, item.before) for item in items] == [
        ("Open the valve.", "To start:"),
        ("Press start.", "To start:"),
        ("Wait for a minute.", "To start:"),
    ]


def test_indented_text_below_an_item_belongs_to_it() -> None:
    text = "Commands:\n- start: Starts it.\n\n  pump start\n\n  It hums.\n  - twice\n- stop: Stops it.\n\npump stop"
    statements = read_statements(make_passage(text), 0)
    items = [each for each in statements if each.kind == "item"]
    assert [each.text for each in items] == ["start: Starts it.", "pump start", "It hums.", "twice", "stop: Stops it."]
    assert statements[-1].text == "pump stop"
    assert statements[-1].kind != "item"


@given(st.text(alphabet=st.sampled_from("aB1 .:|-\n*V"), max_size=160))
def test_every_statement_is_text_of_the_passage(text: str) -> None:
    passage = make_passage(text)
    for statement in read_statements(passage, 0):
        assert statement.sentences
        source = "".join(passage.sentence(index) for index in (*statement.header, *statement.sentences))
        if statement.kind != "row":
            assert set(statement.text.replace(" ", "")) <= set(source.replace(" ", ""))


def test_overlapping_quotes_do_not_repeat_a_sentence() -> None:
    halls = [f"Pump {number} stands in the yard behind hall {number} and hums." for number in range(1, 6)]
    last = "The rate is set with the red wheel."
    wheels = [f"Wheel {number} is oiled by the night shift on every day." for number in range(1, 6)]
    passage = make_passage(" ".join([*halls, last, "This can be undone with the blue wheel.", *wheels]))
    view = view_question(analyse_question("Why is the wheel red?"))
    ranked = _ranked(*read_quotes(passage))
    (first, *second) = quote_answers(view, ranked, [passage])
    shown = "\n\n".join(each.text for each in (first, *second))
    assert len(ranked) == 2
    assert shown.split("\n\n") == [
        " ".join([*halls, last]),
        " ".join(["This can be undone with the blue wheel.", *wheels]),
    ]


def test_parts_of_a_list_are_shown_in_its_order() -> None:
    items = [f"- Pump {number} stands in the yard behind hall {number} and hums all day." for number in range(9)]
    passage = make_passage("\n".join(items))
    early, *_, late = read_quotes(passage)
    for parts in ((late, early), (early, late)):
        shown = quote_answers(view_question(analyse_question("What hums?")), _ranked(*parts), [passage])
        lines = "\n".join(each.text for each in shown).split("\n")
        assert lines == sorted(set(lines)), parts
