"""Passages cut to sentences and table rows that are read with their header."""

from contracts.text import Chunk, Passage
from tools.evidence.units import evidence_units, read_row, row_cells


def passage(text: str) -> Passage:
    chunk = Chunk(id="1", document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="d", document_title="D", score=1.0)


def test_a_table_row_is_read_with_its_header_and_keeps_its_sentence_index() -> None:
    units = evidence_units([passage("Timing of the part.\nParameter | Max\n--- | ---\ntR | 50 µs\ntPROG | 700 µs")])
    readings = [unit.reading for unit in units]
    assert "Parameter: tR; Max: 50 µs" in readings
    assert "Parameter: tPROG; Max: 700 µs" in readings
    row = next(unit for unit in units if "tPROG" in unit.text)
    assert row.is_row
    assert row.sentence == 4


def test_prose_is_cut_at_sentences_and_empty_passages_have_no_units() -> None:
    units = evidence_units([passage("One thing is so. Another is not."), passage("  \n ")])
    assert [unit.text for unit in units] == ["One thing is so.", "Another is not."]
    assert {unit.passage for unit in units} == {0}
    units = evidence_units([passage("DDR3 needs 1.5 V. DDR4 needs 1.2 V. Then it stops.")])
    assert [unit.text for unit in units] == ["DDR3 needs 1.5 V.", "DDR4 needs 1.2 V.", "Then it stops."]


def test_rows_with_outer_bars_have_the_same_cells() -> None:
    assert row_cells("| a | b |") == row_cells("a | b") == ["a", "b"]
    assert row_cells("no bars here") == []
    assert read_row(["Name", ""], ["tR", "50"]) == "Name: tR; 50"
