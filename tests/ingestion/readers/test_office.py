"""Word documents, slides and workbooks that the test writes, and damaged ones."""

import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest
from docx.enum.text import WD_BREAK

from contracts.errors import UnreadableFile
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from tests.ingestion.readers.reading import kinds, read


def test_reads_word_in_order_with_levels_lists_tables_and_page_breaks(tmp_path: Path) -> None:
    path = tmp_path / "note.docx"
    document = docx.Document()
    document.core_properties.title = "Oven note"
    document.add_heading("Ovens", 1)
    document.add_paragraph("Every oven has a log.")
    document.add_heading("Rules", 2)
    document.add_paragraph("No wet trays.", style="List Bullet")
    document.add_paragraph("No paper.", style="List Bullet")
    table = document.add_table(rows=3, cols=2)
    for row, cells in enumerate((("Oven", "Limit"), ("A", "200 C"), ("B", "250 C"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_paragraph("Before the break.").add_run().add_break(WD_BREAK.PAGE)
    document.add_paragraph("After the break.")
    document.save(str(path))
    first, second = read(path)
    assert kinds(first) == [
        ("heading", "Ovens"),
        ("paragraph", "Every oven has a log."),
        ("heading", "Rules"),
        ("list", "- No wet trays.\n- No paper."),
        ("table", "Oven | Limit\nA | 200 C\nB | 250 C"),
        ("paragraph", "Before the break."),
    ]
    assert [block.level for block in first.blocks if block.kind == "heading"] == [1, 2]
    assert first.blocks[4].header_rows == 1
    assert kinds(second) == [("paragraph", "After the break.")]
    assert reader_for(path).title(path) == "Oven note"


def test_reads_sheets_as_pages_with_captions_headers_and_formats(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Stock"
    for row in (["Stock in spring"], ["Item", "Count", "Share"], ["Bolts", 1200, 0.25], ["Nuts", 0.1 + 0.2, 0.75], []):
        sheet.append(row)
    sheet["C3"].number_format = sheet["C4"].number_format = "0%"
    sheet["A7"] = "Counted by hand."
    book.create_sheet("Empty")
    book.save(path)
    first, second = read(path)
    assert kinds(first) == [
        ("heading", "Stock"),
        ("caption", "Stock in spring"),
        ("table", "Item | Count | Share\nBolts | 1200 | 25%\nNuts | 0.3 | 75%"),
        ("paragraph", "Counted by hand."),
    ]
    assert second.blocks == ()


def test_refuses_too_many_cells(tmp_path: Path) -> None:
    path = tmp_path / "wide.xlsx"
    book = openpyxl.Workbook()
    book.active.append(list(range(50)))
    book.save(path)
    with pytest.raises(UnreadableFile, match="more than the 20 filled cells"):
        read(path, limits=IngestionLimits(cells=20))


def test_refuses_damaged_encrypted_and_foreign_containers(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for suffix in ["docx", "pptx", "xlsx"]:
        with subtests.test(suffix=suffix):
            cut_off, locked, foreign = (tmp_path / f"{name}.{suffix}" for name in ("cut", "locked", "foreign"))
            cut_off.write_bytes(b"PK\x03\x04" + b"\x00" * 200)
            locked.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)
            with zipfile.ZipFile(foreign, "w") as archive:
                archive.writestr("readme.txt", "not a document")
            for path, reason in ((cut_off, "damaged"), (locked, "encrypted"), (foreign, "not what its name says")):
                with pytest.raises(UnreadableFile, match=reason):
                    read(path)
