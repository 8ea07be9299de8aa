"""Tables of a passage, their rows as records, and the values of their cells."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.reading_cases import make_passage
from tools.reading.statements import read_statements
from tools.tables.table import parse_tables, read_table
from tools.tables.values import Value, read_value

TEXT = """The models are these.

Pumps, all values at 20 °C
Model | Flow | Noise
Indoor
P-200 | 12 | 48 dB
P-300 | 30

Note: measured at 1 m."""


def test_rows_know_their_place_and_their_group() -> None:
    (table,) = parse_tables(TEXT, title="Data")
    assert (table.header, table.title) == (("Model", "Flow", "Noise"), "Data Pumps, all values at 20 °C")
    assert [row.cells for row in table.rows] == [("P-200", "12", "48 dB"), ("P-300", "30", "")]
    assert [row.group for row in table.rows] == ["Indoor", "Indoor"]
    assert [TEXT[row.span.start : row.span.end] for row in table.rows] == ["P-200 | 12 | 48 dB", "P-300 | 30"]


def test_prose_and_a_header_alone_are_no_table() -> None:
    assert parse_tables("Only words.\nMore words.") == ()
    assert parse_tables("Model | Flow") == ()


def test_values_are_read_in_basic_units(subtests: pytest.Subtests) -> None:
    for text, low, high, dimension in [
        ("1.7 - 1.95 V", 1.7, 1.95, "voltage"),
        ("900 mV", 0.9, 0.9, "voltage"),
        ("<= 5 ms", -math.inf, 0.005, "time"),
        ("10+", 10, math.inf, ""),
        ("2 days", 172_800, 172_800, "time"),
        ("1 KiB", 8192, 8192, "data"),
        ("100 Mbps", 1e8, 1e8, "data/s"),
        ("€9 per user", 9, 9, "money €"),
        ("08:30", 510, 510, "clock"),
        ("unlimited", math.inf, math.inf, ""),
    ]:
        with subtests.test(text=text):
            value = read_value(text)
            assert value is not None
            assert (value.low, value.high, value.dimension) == (pytest.approx(low), pytest.approx(high), dimension)


def test_a_cell_without_a_number_in_front_has_no_value(subtests: pytest.Subtests) -> None:
    for text in ["n/a", "-", "on request", "ext. 4300", "E07", ""]:
        with subtests.test(text=text):
            assert read_value(text) is None


def test_a_year_is_all_of_its_days() -> None:
    date, year = read_value("2024-04-24"), Value(2023, 2023)
    assert date is not None
    assert date.stands("above", year)
    assert not date.stands("at", year)
    assert date.stands("at", Value(2024, 2024))


def test_a_row_is_read_alone_with_header_and_units(subtests: pytest.Subtests) -> None:
    for text, reading in [
        ("Model | Max flow (l/min)\nP-200 | 12", "Model: P-200; Max flow (l/min): 12"),
        ("Mode | Rate (MB/s)\n3 | 400", "Mode: 3; Rate: 400 MB/s"),
        # The unit of a column goes with its numbers, and dashes say nothing.
        ("Symbol | Min | Max | Unit\ntR | - | 70 | µs", "Symbol: tR; Max: 70 µs"),
        ("| Model | Voltage |\n|---|---|\n| P-200 | 48 V |", "Model: P-200; Voltage: 48 V"),
    ]:
        with subtests.test(text=text):
            assert [record.reading() for record in read_table(text)] == [reading]
    # A table without a header loses no row.
    desks = read_table("Test desk: | ext. 4300\nQuality: | ext. 4455")
    assert [record.reading() for record in desks] == ["Test desk: ext. 4300", "Quality: ext. 4455"]


def test_a_running_number_does_not_name_a_row() -> None:
    record = read_table("No. | Part | Price\n1 | Bolt | 3\n2 | Nut | 4")[0]
    assert record.key_text == "Bolt"


@given(st.text(alphabet=st.sampled_from("ab1 |\n-:V."), max_size=120))
def test_any_text_can_be_read_as_a_table(text: str) -> None:
    for statement in read_statements(make_passage(text, kind="table"), 0):
        if statement.record is not None:
            for cell in filter(None, statement.record.cells):
                assert cell.strip("-–— ") == "" or cell.rstrip(" :") in statement.text


def test_a_header_with_an_empty_corner_stands_above_its_columns() -> None:
    (first, _) = read_table("| 2023 | 2024\nOslo | 7 | 9\nRome | 5 | 4")
    assert first.header == ("", "2023", "2024")
    assert first.cells == ("Oslo", "7", "9")
    (only,) = read_table("| Site | Output |\n|---|---|\n| Oslo | 7 |")
    assert (only.header, only.cells) == (("Site", "Output"), ("Oslo", "7"))
