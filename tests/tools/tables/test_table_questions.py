"""Questions that tables answer by themselves, and questions that they do not answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.tables.table_cases import ANSWERED, TABLES, UNANSWERED
from tools.tables.table import Table, answer_markdown, parse_tables
from tools.tables.table_questions import answer_from_table

# What the documentation of ``TableAnswer.match`` names as the border.
ENOUGH = 0.75


def _lines(cases: str) -> list[list[str]]:
    return [[part.strip() for part in line.split(";")] for line in cases.strip().splitlines()]


def _table(name: str) -> Table:
    (table,) = parse_tables(TABLES[name], title=name)
    return table


@pytest.mark.parametrize("asked", TABLES)
def test_a_table_answers_what_it_holds_and_nothing_else(subtests: pytest.Subtests, asked: str) -> None:
    table = _table(asked)
    names = [row.cells[table.key] for row in table.rows]
    for name, question, operation, rows, columns in _lines(ANSWERED):
        with subtests.test(question):
            answer = answer_from_table(question, table)
            if name != asked:
                # What is asked of the parts is answered by no other table; others may hold the same by chance.
                assert name != "parts" or answer is None or answer.match < ENOUGH
                continue
            assert answer is not None
            # The names of some rows hold a comma.
            expected = [rows] if rows in names else [row.strip() for row in rows.split("+" if "+" in rows else ",")]
            assert (answer.operation, [names[row] for row in answer.rows]) == (operation, expected)
            assert {table.header[column] for column in answer.columns} >= ({columns} - {""})
            assert answer.match >= ENOUGH
            assert answer.count == (len(expected) if operation == "count" else None)
    for name, question in _lines(UNANSWERED):
        with subtests.test(question):
            if name == asked and (answer := answer_from_table(question, table)) is not None:
                assert answer.match < ENOUGH or not answer.tells


def test_a_term_is_found_under_its_other_spelling() -> None:
    (table,) = parse_tables("Interface | I/O supply\nNV-DDR3 | 1.2 V\nONFI 1 | 3.3 V", title="Supply")
    assert answer_from_table("What is the VCCQ of NVD3?", table) is None
    answer = answer_from_table("What is the I/O supply of NVD3?", table, {"NVD3": ["NV-DDR3"]})
    assert answer is not None
    assert (answer.rows, answer.columns) == ((0,), (1,))


def test_an_answer_shows_cells_as_they_stand(subtests: pytest.Subtests) -> None:
    for name, question, text in [
        (
            "timing",
            "How long does a block erase take at most?",
            "| Parameter | Max | Unit |\n| --- | --- | --- |\n| Block erase | 10 | ms |",
        ),
        (
            "parts",
            "How many parts support CRC?",
            "3 of 5 rows:\n\n| Part | CRC |\n| --- | --- |\n| SX-200 | yes |\n| SX-220 | yes |\n| SX-300 | yes |",
        ),
        (
            "contacts",
            "what is Ines Novak's room",
            "| Team | Contact | Room |\n| --- | --- | --- |\n| Facilities | Ines Novak | B 1.04 |",
        ),
    ]:
        with subtests.test(question=question):
            answer = answer_from_table(question, _table(name))
            assert answer is not None
            assert answer_markdown(answer) == text


def test_a_comparison_shows_at_most_six_columns() -> None:
    (table,) = parse_tables(
        "Model | A1 | B1 | C1 | D1 | E1 | F1\nP-2 | 1 | 2 | 3 | 4 | 5 | 6\nP-3 | 6 | 5 | 4 | 3 | 2 | 1"
    )
    answer = answer_from_table("compare P-2 and P-3", table)
    assert answer is not None
    assert answer_markdown(answer).splitlines()[0] == "| Model | A1 | B1 | C1 | D1 | E1 |"


@given(
    st.text(alphabet=st.sampled_from("ab1 |\n-:V.5"), max_size=100),
    st.sampled_from(["which a is fastest", "a b V > 1 V"]),
)
def test_any_table_can_be_asked(text: str, question: str) -> None:
    for table in parse_tables(text):
        answer = answer_from_table(question, table)
        assert answer is None or answer_markdown(answer)
