"""Tables as records of header and cell."""

from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.reading_cases import make_passage
from tools.reading import read_statements
from tools.tables.records import read_table

PUMPS = "Model | Voltage | Max flow (l/min)\nP-200 | 48 V | 12\nP-300 | 96 V | 30"
TIMING = "Parameter | Symbol | Min | Typ | Max | Unit\nPage read | tR | - | 50 | 70 | µs\nErase | tE | - | 3 | 10 | ms"
CONTACTS = "Test desk: | ext. 4300\nQuality: | ext. 4455"


def test_rows_are_read_with_their_header() -> None:
    assert [record.reading() for record in read_table(PUMPS)] == [
        "Model: P-200; Voltage: 48 V; Max flow (l/min): 12",
        "Model: P-300; Voltage: 96 V; Max flow (l/min): 30",
    ]


def test_a_unit_column_goes_with_its_numbers_and_dashes_say_nothing() -> None:
    assert read_table(TIMING)[0].reading() == "Parameter: Page read; Symbol: tR; Typ: 50 µs; Max: 70 µs"


def test_a_unit_in_the_header_goes_with_its_numbers() -> None:
    (record,) = read_table("Mode | Rate (MB/s)\n3 | 400")
    assert record.reading() == "Mode: 3; Rate: 400 MB/s"


def test_a_markdown_table_reads_alike() -> None:
    markdown = "| Model | Voltage |\n|---|---|\n| P-200 | 48 V |"
    assert [record.reading() for record in read_table(markdown)] == ["Model: P-200; Voltage: 48 V"]


def test_a_table_without_a_header_loses_no_row() -> None:
    assert [record.reading() for record in read_table(CONTACTS)] == ["Test desk: ext. 4300", "Quality: ext. 4455"]


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
