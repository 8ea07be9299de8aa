"""What a passage states, piece by piece."""

from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.reading_cases import make_passage
from tools.reading.statements import join_broken, read_statements


def _texts(text: str) -> list[str]:
    return [statement.text for statement in read_statements(make_passage(text), 0)]


def test_a_sentence_broken_over_lines_is_one_statement() -> None:
    passage = make_passage("The pump is blue and\nruns all day. It never\nstops.")
    statements = read_statements(passage, 0)
    assert [statement.text for statement in statements] == ["The pump is blue and runs all day.", "It never stops."]
    assert len(statements[0].sentences) == 2


def test_an_empty_line_parts_what_has_no_end_mark() -> None:
    assert _texts("Pumps of the house\n\nthey are blue") == ["Pumps of the house", "they are blue"]


def test_a_typeset_hyphen_goes_and_a_real_one_stays() -> None:
    assert join_broken("the inter-", "face is open") == "the interface is open"
    assert join_broken("the NV-", "DDR3 mode") == "the NV-DDR3 mode"


def test_list_items_know_what_leads_them_in() -> None:
    statements = read_statements(make_passage("To start:\n1. Open the valve.\n2. Press start. Wait for a minute."), 0)
    items = [statement for statement in statements if statement.kind == "item"]
    assert [item.mark for item in items] == ["1.", "2.", ""]
    assert items[0].before == items[1].before == "To start:"


def test_an_item_set_in_further_belongs_to_the_item_above() -> None:
    statements = read_statements(make_passage("Modes:\n- Do not use:\n  - offline\n- Use:\n  - online"), 0)
    before = {statement.text: statement.before for statement in statements}
    assert before["offline"] == "Do not use:"
    assert before["online"] == "Use:"
    assert before["Use:"] == "Modes:"


def test_what_is_set_in_below_an_item_carries_it_on() -> None:
    text = "Commands:\n- start: Starts it.\n\n  pump start\n\n  It hums.\n  - twice\n- stop: Stops it.\n\npump stop"
    statements = read_statements(make_passage(text), 0)
    items = [each for each in statements if each.kind == "item"]
    assert [(each.text, each.mark) for each in items] == [
        ("start: Starts it.", "-"),
        ("pump start", ""),
        ("It hums.", ""),
        ("twice", "-"),
        ("stop: Stops it.", "-"),
    ]
    assert statements[-1].text == "pump stop"
    assert statements[-1].kind != "item"


def test_a_table_in_running_text_is_read_as_rows() -> None:
    statements = read_statements(make_passage("Data of the pumps.\nModel | Voltage\nP-200 | 48 V\n\nAll are blue."), 0)
    assert [statement.kind for statement in statements] == ["sentence", "row", "sentence"]
    assert statements[1].header == (1,)
    assert statements[1].sentences == (2,)


@given(st.text(alphabet=st.sampled_from("aB1 .:|-\n*V"), max_size=160))
def test_every_statement_comes_from_the_passage(text: str) -> None:
    passage = make_passage(text)
    for statement in read_statements(passage, 0):
        assert statement.sentences
        held = "".join(passage.sentence(index) for index in (*statement.header, *statement.sentences))
        if statement.kind != "row":
            assert set(statement.text.replace(" ", "")) <= set(held.replace(" ", ""))
