"""Tables of a passage, and the values of their cells."""

import math

import pytest

from tools.tables.table import parse_tables
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
    assert [TEXT.splitlines()[row.line] for row in table.rows] == ["P-200 | 12 | 48 dB", "P-300 | 30"]


def test_prose_and_a_header_alone_are_no_table() -> None:
    assert parse_tables("Only words.\nMore words.") == ()
    assert parse_tables("Model | Flow") == ()


def test_values_are_read_in_basic_units(subtests: pytest.Subtests) -> None:
    for text, low, high, dimension in [
        ("1.7 - 1.95 V", 1.7, 1.95, "voltage"),
        ("<= 5 ms", -math.inf, 0.005, "time"),
        ("10+", 10, math.inf, ""),
        ("2 days", 172_800, 172_800, "time"),
        ("1 KiB", 8192, 8192, "data"),
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
