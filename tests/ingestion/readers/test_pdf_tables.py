"""Tables of PDFs that the tests draw: merged cells, headers of two rows, tables without rules; text that is mended."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.platypus import Paragraph, Table

from contracts.text import Block
from tests.ingestion.readers.reading import read
from tests.ingestion.samples import GRID, Sheet, build_pdf, paragraph


def table_of(
    folder: Path,
    rows: Sequence[Sequence[str | Paragraph]],
    *styles: object,
    grid: bool = True,
    widths: list[int] | None = None,
) -> Block:
    """Write a PDF with a table between two paragraphs, and return the only table that is read of it."""
    before = paragraph("The pumps of the three halls were measured in spring, and these are their limits.")
    after = paragraph("All other pumps have been taken out of service since then, as the reader may know.")
    table = Table(rows, style=[*([GRID] if grid else []), *styles], colWidths=widths)
    build_pdf(folder / "table.pdf", [before, table, after])
    (found,) = (block for page in read(folder / "table.pdf") for block in page.blocks if block.kind == "table")
    return found


def read_prose(folder: Path, *texts: str) -> list[Block]:
    build_pdf(folder / "prose.pdf", [paragraph(text) for text in texts])
    return list(read(folder / "prose.pdf")[0].blocks)


def draw(sheet: Sheet, rows: list[tuple[tuple[float, str], ...]], *, lead: float = 16) -> list[Block]:
    sheet.write(60, 62, ["The pumps of the three halls were measured in spring, and these are their limits now."])
    for number, row in enumerate(rows):
        for x, cell in row:
            sheet.write(x, 92 + lead * number, [cell])
    return sheet.read()[0].blocks


def test_merged_cells_are_filled_to_the_right_and_downwards(tmp_path: Path) -> None:
    rows = [
        ["Hall", "Pressure", "", "Keeper"],
        ["", "least", "most", ""],
        ["North", "2 bar", "6 bar", "Berg"],
        ["", "3 bar", "8 bar", "Dahl"],
        ["South", "1 bar", "4 bar", "Li"],
    ]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3))]
    table = table_of(tmp_path, rows, *spans)
    assert table.text.split("\n") == [
        "Hall | Pressure | Pressure | Keeper",
        "Hall | least | most | Keeper",
        "North | 2 bar | 6 bar | Berg",
        "North | 3 bar | 8 bar | Dahl",
        "South | 1 bar | 4 bar | Li",
    ]
    assert table.header_rows == 2
    # A title over all columns is not repeated.
    rows = [["Pump", "Flow", "Shelf"], ["P-10", "20", "A"], ["Spare pumps", "", ""], ["P-30", "15", "B"]]
    table = table_of(tmp_path, rows, ("SPAN", (0, 2), (2, 2)))
    assert table.text.split("\n")[2].replace(" |", "").strip() == "Spare pumps"
    assert table.header_rows == 1


PUMPS = [
    ["Pump", "Flow", "Remark"],
    ["P-10", "20 l/min", "oiled"],
    ["P-20", "45 l/min", "old"],
    ["P-30", "15 l/min", "new"],
]
ROW_RULES = ("LINEBELOW", (0, 0), (-1, -2), 0.5, colors.black)
COLUMN_RULES = ("LINEAFTER", (0, 0), (-2, -1), 0.5, colors.black)
TOP = ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black)
UNDER_HEADER = ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)
BOTTOM = ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black)


def test_a_table_without_outer_lines_keeps_its_outer_rows_and_columns(tmp_path: Path) -> None:
    for rules in [
        (UNDER_HEADER, COLUMN_RULES),
        (TOP, ROW_RULES, BOTTOM, COLUMN_RULES),
        (TOP, ROW_RULES, BOTTOM),
        (TOP, UNDER_HEADER, BOTTOM),
    ]:
        table = table_of(tmp_path, PUMPS, *rules, grid=False)
        assert table.text.split("\n") == [" | ".join(row) for row in PUMPS], rules
        assert table.header_rows == 1


def test_cells_between_horizontal_rules_can_have_several_lines(tmp_path: Path) -> None:
    remark = "It was taken to the workshop for a long time, until the keeper of the hall had repaired it."
    rows = [PUMPS[0], *([row[0], row[1], paragraph(remark)] for row in PUMPS[1:])]
    for rules in ((TOP, UNDER_HEADER, BOTTOM), (TOP, ROW_RULES, BOTTOM)):
        table = table_of(tmp_path, rows, *rules, ("VALIGN", (0, 0), (-1, -1), "TOP"), grid=False, widths=[60, 60, 150])
        assert table.text.split("\n")[1:] == [f"{row[0]} | {row[1]} | {remark}" for row in PUMPS[1:]]
    # A header over several columns.
    rows = [["Hall", "Pressure", "", "Keeper"], ["", "least", "most", ""], ["North", "2 bar", "6 bar", "Berg"]]
    over = ("SPAN", (1, 0), (2, 0)), ("LINEBELOW", (1, 0), (2, 0), 0.3, colors.black)
    under = ("LINEBELOW", (0, 1), (-1, 1), 0.5, colors.black)
    table = table_of(tmp_path, rows, TOP, under, BOTTOM, *over, grid=False)
    assert table.text.split("\n") == ["Hall | Pressure least | Pressure most | Keeper", "North | 2 bar | 6 bar | Berg"]


def test_rules_around_text_do_not_make_a_table(sheet: Sheet) -> None:
    for number, top in enumerate((62, 102, 152, 202)):
        sheet.canvas.line(60, A4[1] - top, 500, A4[1] - top)
        text = f"Remark {number}: the pumps of the halls are measured in spring by their keepers."
        sheet.write(60, top + 20, [text])
    assert "table" not in [block.kind for block in sheet.read()[0].blocks]


def test_bars_and_columns_of_a_slide_are_no_table(sheet: Sheet) -> None:
    for top, height in ((40, 50), (90, 230), (320, 20)):
        sheet.canvas.rect(40, A4[1] - top - height, 500, height)
    sheet.canvas.line(290, A4[1] - 90, 290, A4[1] - 340)
    sheet.write(60, 70, ["Pumps in spring"], size=20)
    halls = ["• The hall in the north is measured", "   by its keeper", "• The south waits", "• East is shut"]
    tools = ["• Gauges come from our", "   storekeeper", "• Wrenches hang here", "• Gloves are needed"]
    sheet.write(60, 120, halls, size=11, lead=20, font="Vera")
    sheet.write(310, 120, tools, size=11, lead=20, font="Vera")
    sheet.write(60, 334, ["pumps.example"], size=8)
    sheet.write(310, 334, ["keepers only"], size=8)
    blocks = [(block.kind, block.text) for block in sheet.read()[0].blocks]
    assert blocks[0] == ("heading", "Pumps in spring")
    assert ("list", "• The hall in the north is measured by its keeper\n• The south waits\n• East is shut") in blocks
    assert ("list", "• Gauges come from our storekeeper\n• Wrenches hang here\n• Gloves are needed") in blocks
    assert "table" not in dict(blocks)


def test_a_form_without_entries_is_a_table(tmp_path: Path) -> None:
    table = table_of(tmp_path, [["Pump", "Checked", "Keeper"], ["P-10", "", ""], ["P-20", "", ""]])
    assert table.text.replace(" |", "").split() == ["Pump", "Checked", "Keeper", "P-10", "P-20"]


def test_a_question_and_its_answer_on_a_page(sheet: Sheet) -> None:
    sheet.write(60, 62, ["Q: Who measures the pumps of the halls, and when do they do it?"])
    sheet.write(60, 92, ["A: Their keepers measure them in spring."], font="Helvetica-Bold")
    sheet.write(60, 122, ["Nobody has to come for it."])
    assert [(block.kind, block.text[:10]) for block in sheet.read()[0].blocks] == [
        ("heading", "Q: Who mea"),
        ("paragraph", "A: Their k"),
        ("paragraph", "Nobody has"),
    ]


def test_unruled_rows_can_be_far_apart_and_a_first_code_is_not_a_header(sheet: Sheet) -> None:
    pages = (("Country", "Page"), ("Norway", "cp865"), ("Greece", "cp737"), ("Iceland", "cp861"))
    codes = (("%a", "short"), ("%A", "long"), ("%d", "day"))
    for rows, lead, header_rows in ((pages, 40, 1), (codes, 16, 0)):
        blocks = draw(sheet, [((60.0, left), (220.0, right)) for left, right in rows], lead=lead)
        (table,) = (block for block in blocks if block.kind == "table")
        assert table.text.split("\n") == [" | ".join(row) for row in rows]
        assert table.header_rows == header_rows


def test_superscript_digits_are_exponents_or_footnotes_and_subscripts_stay(tmp_path: Path) -> None:
    blocks = read_prose(
        tmp_path,
        "The hall has 40 m<super>2</super> and 10<super>3</super> tools; the pressure<super>1</super> is low.",
        "<super>1</super> Measured in spring by the keeper of the north hall.",
    )
    found = " ".join(block.text for block in blocks)
    assert "40 m² and 10³ tools; the pressure[1] is low." in found
    assert "[1] Measured in spring" in found
    for block in blocks:
        assert "".join(block.text[each.span.start : each.span.end] for each in block.boxes).strip()
    text = "If V<sub>CC</sub> not in the limits is measured, the pump stops after t<sub>RC</sub> and is started again."
    (block,) = read_prose(tmp_path, text)
    assert block.text == text.replace("<sub>", "").replace("</sub>", "")


ITEMS = (
    ("Open the valve of the pump.",),
    ("Start the pump and", "hold the button."),
    ("Wait.",),
    ("Close the valve.",),
)


def test_numbers_far_from_their_texts_make_a_list(sheet: Sheet) -> None:
    for marks in ("1. 2. 3. 4.", "1 2 3 4", "7 8 9 10", "i. ii. iii. iv.", "a) b) c) d)", "1: 2: 3: 4:", "• • • •"):
        rows: list[tuple[tuple[float, str], ...]] = []
        for mark, lines in zip(marks.split(), ITEMS, strict=True):
            rows += [((60.0, mark), (90.0, lines[0])), *(((90.0, line),) for line in lines[1:])]
        drawn = draw(sheet, rows, lead=13)
        (found,) = (block for block in drawn if block.kind != "paragraph")
        items = [f"{mark} {' '.join(lines)}" for mark, lines in zip(marks.split(), ITEMS, strict=True)]
        assert (found.kind, found.text.split("\n")) == ("list", items)
    # Under a header or beside two columns they stay a table.
    rows = [("Pin", "Signal"), ("1", "VCC"), ("2", "ground"), ("3", "data"), ("4", "clock")]
    (named,) = draw(sheet, [((60.0, pin), (120.0, signal)) for pin, signal in rows])[1:]
    assert (named.kind, named.text.split("\n")[1]) == ("table", "1 | VCC")
    (wide,) = draw(sheet, [((60.0, pin), (120.0, signal), (200.0, "3.3 V")) for pin, signal in rows[1:]])[1:]
    assert (wide.kind, wide.text.split("\n")[1]) == ("table", "2 | ground | 3.3 V")


def test_ligatures_soft_hyphens_and_small_capitals(sheet: Sheet) -> None:
    lines = ("A low-", "power e-", "mail re\u00adceiver with co\u00ad", "operative firm-", "ware was high-", "lighted.")
    sheet.write(60, 62, lines, size=11, lead=14, font="Vera")
    x = 60.0
    capitals = (("S", 11), ("MALL ", 8), ("C", 11), ("APITALS", 8), (" are here too, as is usual in titles.", 11))
    for text, size in capitals:
        sheet.write(x, 192, [text], size=size)
        x += sheet.canvas.stringWidth(text, "Helvetica", size)
    text = " ".join(block.text for block in sheet.read()[0].blocks)
    assert "A low-power e-mail receiver with cooperative firmware was highlighted." in text
    assert "SMALL CAPITALS are here too" in text
    # A raised letter over others does not break its line.
    sheet.write(60, 142, ["The manual is set in L"], size=12)
    end = 60 + sheet.canvas.stringWidth("The manual is set in L", "Helvetica", 12)
    sheet.write(end + 2, 142, ["TEX and printed in two colours."], size=12)
    sheet.write(end - 4, 139.5, ["A"], size=8)
    (block,) = sheet.read()[0].blocks
    assert block.text == "The manual is set in LATEX and printed in two colours."


def with_headers(sheet: Sheet, headers: list[tuple[float, str, str]]) -> str:
    """Write a page for each running header (where it stands, what it says, the page's heading); return what is read."""
    words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    for number, (x, header, heading) in enumerate(headers, start=1):
        sheet.write(x, 27, [header], size=8)
        sheet.write(60 if number % 2 else 500, 817, [str(number)], size=8)
        if heading:
            sheet.write(60, 72, [heading], size=15, font="Helvetica-Bold")
        days = [words[(number + line) % 8] for line in range(20)]
        lines = [f"On {day} days the keeper of hall {day} writes line {n} of {number}." for n, day in enumerate(days)]
        sheet.write(60, 102, lines)
        sheet.canvas.showPage()
    return "\n".join(block.text for page in sheet.read() for block in page.blocks)


def test_changing_running_headers_are_dropped_and_first_lines_kept(sheet: Sheet) -> None:
    sides = ((60.0, "Works manual", ""), (380.0, "The keepers of the halls", ""))
    text = with_headers(sheet, [sides[number % 2] for number in range(4)])
    assert "Works manual" not in text
    assert "The keepers of the halls" not in text
    assert text.count("line 7 of") == 4
    names = [f"{name} of the works" for name in ("Pumps", "Valves", "Furnaces", "Cranes", "Lathes", "Kilns")]
    text = with_headers(sheet, [(60.0, name, name) for name in names])
    assert [text.count(name) for name in names] == [1] * 6
    lines = ("Pumps are oiled", "Valves leak", "Furnaces glow", "Cranes lift", "Lathes turn", "Kilns cool")
    text = with_headers(sheet, [(60.0, f"{line}.", "") for line in lines])
    assert all(line in text for line in lines)


def test_a_table_that_is_all_bold_has_no_header(tmp_path: Path) -> None:
    rows = [["1", "17 bar"], ["2", "19 bar"], ["3", "23 bar"]]
    assert table_of(tmp_path, rows, ("FONTNAME", (0, 0), (-1, -1), "Helvetica-Bold")).header_rows == 0
    assert table_of(tmp_path, rows, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")).header_rows == 1
