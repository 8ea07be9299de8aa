"""Tables of a passage, rows as records, values of cells, and the questions that a table answers by itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.reading_cases import make_passage
from tools.reading.statements import read_statements
from tools.tables.table import Table, answer_markdown, parse_tables
from tools.tables.table_questions import answer_from_table
from tools.tables.values import Value, read_value

TABLES = {
    "parts": """Part | Channels | Max. rate (MT/s) | VCCQ | Density | CRC
SX-100 | 256 | 400 | 1.7 - 1.95 V | 64 MB | no
SX-200 | 512 | 800 | 1.14 - 1.26 V | 256 MB | yes
SX-220 | 512 | 1200 | 1.14 - 1.26 V | 1 GB | yes
SX-300 | 1,024 | 1600 | 1.14 - 1.26 V | 2 GB | yes
SX-900 | n/a | 3200 | 1.05 V | n/a | optional""",
    "options": """Option | Meaning | Default | Since
-j, --jobs N | number of files compressed at the same time | 1 | 1.2
-l, --level N | compression level from 1 to 9 | 6 | 0.9
--keep | keep the input files | off | 1.0
--memory-limit SIZE | most memory that may be used | 128 MiB | 2.0
--timeout MS | give up after so many milliseconds | 30000 | 2.1
--quiet | suppress warnings | off | 1.0""",
    "plans": """Plan | Price per month | Users | Storage | Support
Basic | €9 | 5 | 10 GB | e-mail
Team | €29 | 25 | 100 GB | e-mail, phone
Business | €99 | 200 | 1 TB | e-mail, phone, on site
Enterprise | on request | unlimited | unlimited | e-mail, phone, on site""",
    "contacts": """Team | Contact | Phone | Room
Facilities | Ines Novak | ext. 4300 | B 1.04
Payroll | Tom Reyes | ext. 4455 | A 2.11
IT service desk | Mara Lind | ext. 4000 | A 0.01
Security | Jon Park | ext. 4999 | gate 2""",
    "releases": """Version | Codename | Released | End of life | Status
18 | Hydrogen | 2022-04-19 | 2025-04-30 | end of life
20 | Iron | 2023-04-18 | 2026-04-30 | maintenance
22 | Jod | 2024-04-24 | 2027-04-30 | active
23 | - | 2024-10-16 | 2025-06-01 | end of life
24 | Krypton | 2025-05-06 | 2028-04-30 | current""",
    "timing": """Parameter | Symbol | Min | Typ | Max | Unit
Page read | tR | | 50 | 70 | µs
Program | tPROG | | 600 | 2000 | µs
Block erase | tBERS | | 3 | 10 | ms
Reset (idle) | tRST | | | 5 | µs
Clock period | tCK | 2.5 | | | ns""",
    "features by system": """ | Linux | macOS | Windows
Recursive watch | yes | yes | yes
Symbolic links | yes | yes | with admin rights
Named pipes | yes | yes | -
Hard links | ✓ | ✓ | ✓
Extended attributes | ✓ | ✗ |""",
    "courses": """Course | Day | Start | Duration | Trainer | Places
Forklift basics | Monday | 08:30 | 2 days | R. Okafor | 12
First aid | Tuesday | 09:00 | 8 hours | L. Brandt | 16
Ladder inspection | Monday | 13:00 | 90 min | R. Okafor | 8
Working at height | Thursday | 08:00 | 3 days | P. Silva | 6""",
    "pumps": """Model | Supply Voltage (V) | Supply Current (A) | Flow (l/min) | Weight (kg) | Noise
Indoor, P-200 | 24 | 1.5 | 12 | 3.2 | 48 dB
Indoor, P-300 | 48 | 1.1 | 30 | 4.7 | 55 dB
Outdoor, P-550 | 230 | 0.9 | 75 | 11 | <= 62 dB
Outdoor, P-800 | 230 | 2.4 | | 18.5""",
    "roles": """| Role | Read | Write | Delete | Max upload |
|---|---|---|---|---|
| Guest | yes | no | no | 5 MB |
| Editor | yes | yes | no | 50 MB |
| Maintainer | yes | yes | own files | 512 MB |
| Admin | yes | yes | yes | 2 GB |""",
}

# Table; question; operation; first cells of the rows in the answer; requested columns (empty: any).
ANSWERED = """
parts; which parts have more than 500 channels; filter; SX-200, SX-220, SX-300; Channels
parts; How many parts support CRC?; count; SX-200, SX-220, SX-300; CRC
parts; Which part has the highest rate?; extreme; SX-900; Max. rate (MT/s)
parts; Compare the SX-200 and the SX-300; compare; SX-200, SX-300;
parts; which parts can do at least 1.2 GT/s; filter; SX-220, SX-300, SX-900; Max. rate (MT/s)
parts; Which parts run at 1.2 V?; filter; SX-200, SX-220, SX-300; VCCQ
options; what does -l do; cell; -l, --level N; Meaning
plans; which is the cheapest plan; extreme; Basic; Price per month
plans; which plans cost less than 50 euros?; filter; Basic, Team; Price per month
contacts; Whose extension is 4999?; filter; Security; Phone
releases; Which versions were released after 2023?; filter; 22, 23, 24; Released
releases; When does Jod reach its end of life?; cell; 22; End of life
timing; How long does a block erase take at most?; cell; Block erase; Max
features by system; Which of these are not available on macOS?; filter; Extended attributes; macOS
courses; How long is the first aid course?; cell; First aid; Duration
courses; which courses take longer than one day; filter; Forklift basics, Working at height; Duration
courses; which course has the fewest places; extreme; Working at height; Places
courses; What courses are there?; list; Forklift basics, First aid, Ladder inspection, Working at height; Course
pumps; Which outdoor models are there?; filter; Outdoor, P-550 + Outdoor, P-800;
pumps; Which is heavier, the P-300 or the P-550?; extreme; Outdoor, P-550; Weight (kg)
pumps; models that weigh under 4000 g; filter; Indoor, P-200; Weight (kg)
pumps; which is the quietest model; extreme; Indoor, P-200; Noise
roles; Which roles may delete?; filter; Maintainer, Admin; Delete
"""

# Table; question about something that is not in the table.
UNANSWERED = """parts; How many bytes does the SX-100 hold?
parts; Which part has the lowest power consumption?
parts; What is the VCCQ of the SX-500?
contacts; What is the e-mail address of payroll?
features by system; Does FreeBSD support hard links?
courses; how much does the first aid course cost?
"""


TEXT = """The models are these.

Pumps, all values at 20 °C
Model | Flow | Noise
Indoor
P-200 | 12 | 48 dB
P-300 | 30

Note: measured at 1 m."""


def test_rows_have_their_position_and_group() -> None:
    (table,) = parse_tables(TEXT, title="Data")
    assert (table.header, table.title) == (("Model", "Flow", "Noise"), "Data Pumps, all values at 20 °C")
    assert [row.cells for row in table.rows] == [("P-200", "12", "48 dB"), ("P-300", "30", "")]
    assert [row.group for row in table.rows] == ["Indoor", "Indoor"]
    assert [TEXT[row.span.start : row.span.end] for row in table.rows] == ["P-200 | 12 | 48 dB", "P-300 | 30"]
    assert parse_tables("Only words.\nMore words.") == parse_tables("Model | Flow") == ()
    # Headers with an empty corner, and row numbers as keys.
    (table,) = parse_tables("| 2023 | 2024\nOslo | 7 | 9\nRome | 5 | 4")
    assert (table.header, table.rows[0].cells) == (("", "2023", "2024"), ("Oslo", "7", "9"))
    (table,) = parse_tables("| Site | Output |\n|---|---|\n| Oslo | 7 |")
    assert (table.header, [row.cells for row in table.rows]) == (("Site", "Output"), [("Oslo", "7")])
    assert parse_tables("No. | Part | Price\n1 | Bolt | 3\n2 | Nut | 4")[0].key == 1


def test_values_are_converted_to_base_units() -> None:
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
        value = read_value(text)
        assert (value.low, value.high, value.dimension) == (pytest.approx(low), pytest.approx(high), dimension), text
    # A cell without a leading number has no value, and a date that of its year.
    assert {read_value(text) for text in ["n/a", "-", "on request", "ext. 4300", "E07", ""]} == {None}
    assert read_value("2024-04-24") == Value(2024, 2024)


def test_row_is_written_out_with_its_header() -> None:
    for text, reading in [
        ("Model | Max flow (l/min)\nP-200 | 12", "Model: P-200; Max flow (l/min): 12"),
        # Dashes are left out.
        ("Symbol | Min | Max | Unit\ntR | - | 70 | µs", "Symbol: tR; Max: 70; Unit: µs"),
        ("| Model | Voltage |\n|---|---|\n| P-200 | 48 V |", "Model: P-200; Voltage: 48 V"),
    ]:
        assert _written(text) == [reading]
    # In a table without a header, no row is lost.
    assert _written("Test desk: | ext. 4300\nQuality: | ext. 4455") == ["Test desk: ext. 4300", "Quality: ext. 4455"]


def _written(text: str) -> list[str]:
    (table,) = parse_tables(text)
    return [table.reading(row) for row in table.rows]


@given(st.text(alphabet=st.sampled_from("ab1 |\n-:V."), max_size=120))
def test_any_text_can_be_read_as_a_table(text: str) -> None:
    for statement in read_statements(make_passage(text, kind="table"), 0):
        if statement.row is not None:
            for cell in filter(None, statement.row.cells):
                assert cell.strip("-–— ") == "" or cell.rstrip(" :") in statement.text


# The threshold named in the documentation of ``TableAnswer.match``.
ENOUGH = 0.75


def _lines(cases: str) -> list[list[str]]:
    return [[part.strip() for part in line.split(";")] for line in cases.strip().splitlines()]


def _table(name: str) -> Table:
    (table,) = parse_tables(TABLES[name], title=name)
    return table


@pytest.mark.parametrize("asked", TABLES)
def test_table_answers_only_questions_about_its_contents(asked: str) -> None:
    table = _table(asked)
    names = [row.cells[table.key] for row in table.rows]
    for name, question, operation, rows, columns in _lines(ANSWERED):
        answer = answer_from_table(question, table)
        if name != asked:
            # No other table answers a question about the parts; for other questions, another table may match by chance.
            assert name != "parts" or answer is None or answer.match < ENOUGH, question
            continue
        # The names of some rows contain a comma.
        expected = [rows] if rows in names else [row.strip() for row in rows.split("+" if "+" in rows else ",")]
        assert (answer.operation, [names[row] for row in answer.rows]) == (operation, expected), question
        assert {table.header[column] for column in answer.columns} >= ({columns} - {""}), question
        assert answer.match >= ENOUGH, question
        assert answer.count == (len(expected) if operation == "count" else None), question
    for name, question in _lines(UNANSWERED):
        if name == asked and (answer := answer_from_table(question, table)) is not None:
            assert answer.match < ENOUGH or not answer.tells, question


def test_row_is_found_under_another_spelling_of_a_term() -> None:
    (table,) = parse_tables("Interface | I/O supply\nNV-DDR3 | 1.2 V\nONFI 1 | 3.3 V", title="Supply")
    assert answer_from_table("What is the VCCQ of NVD3?", table) is None
    answer = answer_from_table("What is the I/O supply of NVD3?", table, {"NVD3": ["NV-DDR3"]})
    assert (answer.rows, answer.columns) == ((0,), (1,))


def test_table_answer_copies_cells_and_comparison_has_at_most_six_columns() -> None:
    wide = "Model | A1 | B1 | C1 | D1 | E1 | F1\nP-2 | 1 | 2 | 3 | 4 | 5 | 6\nP-3 | 6 | 5 | 4 | 3 | 2 | 1"
    for table, question, lines in [
        (_table("timing"), "How long does a block erase take at most?",
         ["| Parameter | Max | Unit |", "| --- | --- | --- |", "| Block erase | 10 | ms |"]),
        (_table("parts"), "How many parts support CRC?",
         ["3 of 5 rows:", "", "| Part | CRC |", "| --- | --- |", "| SX-200 | yes |", "| SX-220 | yes |",
          "| SX-300 | yes |"]),
        (_table("contacts"), "what is Ines Novak's room",
         ["| Team | Contact | Room |", "| --- | --- | --- |", "| Facilities | Ines Novak | B 1.04 |"]),
        (parse_tables(wide)[0], "compare P-2 and P-3",
         ["| Model | A1 | B1 | C1 | D1 | E1 |", "| --- | --- | --- | --- | --- | --- |", "| P-2 | 1 | 2 | 3 | 4 | 5 |",
          "| P-3 | 6 | 5 | 4 | 3 | 2 |"]),
    ]:  # fmt: skip
        assert answer_markdown(answer_from_table(question, table)).split("\n") == lines
