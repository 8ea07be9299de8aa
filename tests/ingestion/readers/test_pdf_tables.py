"""Tables of PDFs that the tests draw: merged cells, headers of two rows, tables without rules; text that is mended."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import reportlab
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from contracts.text import Block
from tests.ingestion.readers.reading import read
from tests.ingestion.samples import Sheet

GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)


def tables(path: Path) -> list[Block]:
    return [block for page in read(path) for block in page.blocks if block.kind == "table"]


def write_table(
    path: Path,
    rows: Sequence[Sequence[str | Paragraph]],
    *styles: object,
    grid: bool = True,
    widths: list[int] | None = None,
) -> None:
    body = getSampleStyleSheet()["BodyText"]
    before = Paragraph("The pumps of the three halls were measured in spring, and these are their limits.", body)
    after = Paragraph("All other pumps have been taken out of service since then, as the reader may know.", body)
    table = Table(rows, style=[*([GRID] if grid else []), *styles], colWidths=widths)
    SimpleDocTemplate(str(path), pagesize=A4).build([before, table, after])


def draw(path: Path, rows: list[tuple[tuple[float, str], ...]], *, lead: float = 16) -> list[Block]:
    sheet = Sheet(path)
    sheet.write(60, 62, ["The pumps of the three halls were measured in spring, and these are their limits now."])
    for number, row in enumerate(rows):
        for x, cell in row:
            sheet.write(x, 92 + lead * number, [cell])
    return sheet.read()[0].blocks


def test_merged_cells_are_filled_to_the_right_and_downwards(tmp_path: Path) -> None:
    path = tmp_path / "merged.pdf"
    rows = [
        ["Hall", "Pressure", "", "Keeper"],
        ["", "least", "most", ""],
        ["North", "2 bar", "6 bar", "Berg"],
        ["", "3 bar", "8 bar", "Dahl"],
        ["South", "1 bar", "4 bar", "Li"],
    ]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3))]
    write_table(path, rows, *spans)
    (table,) = tables(path)
    assert table.text.split("\n") == [
        "Hall | Pressure | Pressure | Keeper",
        "Hall | least | most | Keeper",
        "North | 2 bar | 6 bar | Berg",
        "North | 3 bar | 8 bar | Dahl",
        "South | 1 bar | 4 bar | Li",
    ]
    assert table.header_rows == 2


def test_a_title_over_all_columns_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "sections.pdf"
    rows = [["Pump", "Flow", "Shelf"], ["P-10", "20", "A"], ["Spare pumps", "", ""], ["P-30", "15", "B"]]
    write_table(path, rows, ("SPAN", (0, 2), (2, 2)))
    (table,) = tables(path)
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


def test_a_table_without_outer_lines_keeps_its_outer_rows_and_columns(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    for rules in [
        (UNDER_HEADER, COLUMN_RULES),
        (TOP, ROW_RULES, BOTTOM, COLUMN_RULES),
        (TOP, ROW_RULES, BOTTOM),
        (TOP, UNDER_HEADER, BOTTOM),
    ]:
        with subtests.test(rules=rules):
            path = tmp_path / "open.pdf"
            write_table(path, PUMPS, *rules, grid=False)
            (table,) = tables(path)
            assert table.text.split("\n") == [" | ".join(row) for row in PUMPS]
            assert table.header_rows == 1


def test_cells_between_rules_across_take_several_lines(tmp_path: Path) -> None:
    body = getSampleStyleSheet()["BodyText"]
    remark = "It was taken to the workshop for a long time, until the keeper of the hall had repaired it."
    rows = [PUMPS[0], *([row[0], row[1], Paragraph(remark, body)] for row in PUMPS[1:])]
    for rules in ((TOP, UNDER_HEADER, BOTTOM), (TOP, ROW_RULES, BOTTOM)):
        path = tmp_path / "wrapped.pdf"
        write_table(path, rows, *rules, ("VALIGN", (0, 0), (-1, -1), "TOP"), grid=False, widths=[60, 60, 150])
        (table,) = tables(path)
        assert table.text.split("\n")[1:] == [f"{row[0]} | {row[1]} | {remark}" for row in PUMPS[1:]]


def test_a_header_over_columns_between_rules_across(tmp_path: Path) -> None:
    path = tmp_path / "over.pdf"
    rows = [["Hall", "Pressure", "", "Keeper"], ["", "least", "most", ""], ["North", "2 bar", "6 bar", "Berg"]]
    over = ("SPAN", (1, 0), (2, 0)), ("LINEBELOW", (1, 0), (2, 0), 0.3, colors.black)
    write_table(path, rows, TOP, ("LINEBELOW", (0, 1), (-1, 1), 0.5, colors.black), BOTTOM, *over, grid=False)
    (table,) = tables(path)
    assert table.text.split("\n") == ["Hall | Pressure least | Pressure most | Keeper", "North | 2 bar | 6 bar | Berg"]


def test_rules_around_text_make_no_table(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "frames.pdf")
    for number, top in enumerate((62, 102, 152, 202)):
        sheet.canvas.line(60, A4[1] - top, 500, A4[1] - top)
        text = f"Remark {number}: the pumps of the halls are measured in spring by their keepers."
        sheet.write(60, top + 20, [text])
    assert "table" not in [block.kind for block in sheet.read()[0].blocks]


def test_a_row_of_a_code_above_codes_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "codes.pdf"
    draw(path, [((60.0, code), (220.0, text)) for code, text in (("%a", "short"), ("%A", "long"), ("%d", "day"))])
    (table,) = tables(path)
    assert table.header_rows == 0


def test_rows_without_rules_may_stand_far_apart_where_all_do(tmp_path: Path) -> None:
    path = tmp_path / "wide.pdf"
    rows = [("Country", "Page"), ("Norway", "cp865"), ("Greece", "cp737"), ("Iceland", "cp861")]
    draw(path, [((60.0, country), (220.0, page)) for country, page in rows], lead=40)
    (table,) = tables(path)
    assert table.text == "Country | Page\nNorway | cp865\nGreece | cp737\nIceland | cp861"


def test_raised_figures_are_exponents_or_marks_of_footnotes(tmp_path: Path) -> None:
    path = tmp_path / "raised.pdf"
    body = getSampleStyleSheet()["BodyText"]
    text = "The hall has 40 m<super>2</super> and 10<super>3</super> tools; the pressure<super>1</super> is low."
    note = "<super>1</super> Measured in spring by the keeper of the north hall."
    SimpleDocTemplate(str(path), pagesize=A4).build([Paragraph(text, body), Paragraph(note, body)])
    found = " ".join(block.text for block in read(path)[0].blocks)
    assert "40 m² and 10³ tools; the pressure[1] is low." in found
    assert "[1] Measured in spring" in found
    for block in read(path)[0].blocks:
        assert "".join(block.text[each.span.start : each.span.end] for each in block.boxes).strip()


def test_words_behind_low_subscripts_stand_in_their_line_and_apart(tmp_path: Path) -> None:
    path = tmp_path / "lowered.pdf"
    text = "If V<sub>CC</sub> not in the limits is measured, the pump stops after t<sub>RC</sub> and is started again."
    SimpleDocTemplate(str(path), pagesize=A4).build([Paragraph(text, getSampleStyleSheet()["BodyText"])])
    (block,) = read(path)[0].blocks
    assert block.text == text.replace("<sub>", "").replace("</sub>", "")


def test_a_raised_letter_over_others_does_not_break_its_line(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "logo.pdf")
    sheet.write(60, 142, ["The manual is set in L"], size=12)
    end = 60 + sheet.canvas.stringWidth("The manual is set in L", "Helvetica", 12)
    sheet.write(end + 2, 142, ["TEX and printed in two colours."], size=12)
    sheet.write(end - 4, 139.5, ["A"], size=8)
    (block,) = sheet.read()[0].blocks
    assert block.text == "The manual is set in LATEX and printed in two colours."


ITEMS = (
    ("Open the valve of the pump.",),
    ("Start the pump and", "hold the button."),
    ("Wait.",),
    ("Close the valve.",),
)


def test_numbers_that_hang_wide_apart_from_their_texts_make_a_list(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for marks in ["1. 2. 3. 4.", "1 2 3 4", "7 8 9 10", "i. ii. iii. iv.", "a) b) c) d)", "1: 2: 3: 4:", "• • • •"]:
        with subtests.test(marks=marks):
            rows: list[tuple[tuple[float, str], ...]] = []
            for mark, lines in zip(marks.split(), ITEMS, strict=True):
                rows += [((60.0, mark), (90.0, lines[0])), *(((90.0, line),) for line in lines[1:])]
            drawn = draw(tmp_path / "hanging.pdf", rows, lead=13)
            found = [block for block in drawn if block.kind != "paragraph"]
            assert [(block.kind, block.text.split("\n")) for block in found] == [
                ("list", [f"{mark} {' '.join(lines)}" for mark, lines in zip(marks.split(), ITEMS, strict=True)])
            ]


def test_numbers_under_a_name_or_beside_two_columns_stay_a_table(tmp_path: Path) -> None:
    path = tmp_path / "numbered.pdf"
    rows = [("Pin", "Signal"), ("1", "VCC"), ("2", "ground"), ("3", "data"), ("4", "clock")]
    (named,) = draw(path, [((60.0, pin), (120.0, signal)) for pin, signal in rows])[1:]
    assert (named.kind, named.text.split("\n")[1]) == ("table", "1 | VCC")
    (wide,) = draw(path, [((60.0, pin), (120.0, signal), (200.0, "3.3 V")) for pin, signal in rows[1:]])[1:]
    assert (wide.kind, wide.text.split("\n")[1]) == ("table", "2 | ground | 3.3 V")


def test_ligatures_soft_hyphens_and_small_capitals(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "letters.pdf")
    pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))
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


def with_headers(path: Path, headers: list[tuple[float, str, str]]) -> str:
    """Write a page for each running header (where it stands, what it says, the page's heading); return what is read."""
    sheet = Sheet(path)
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


def test_running_headers_that_change_sides_are_dropped_on_every_page(tmp_path: Path) -> None:
    sides = ((60.0, "Works manual", ""), (380.0, "The keepers of the halls", ""))
    text = with_headers(tmp_path / "sides.pdf", [sides[number % 2] for number in range(4)])
    assert "Works manual" not in text
    assert "The keepers of the halls" not in text
    assert text.count("line 7 of") == 4


def test_running_headers_that_name_the_section_are_dropped(tmp_path: Path) -> None:
    names = ("Pumps", "Valves", "Furnaces", "Cranes", "Lathes", "Kilns")
    headers = [(60.0, f"{name} of the works", f"{name} of the works") for name in names]
    text = with_headers(tmp_path / "sections.pdf", headers)
    for name in names:
        assert text.count(f"{name} of the works") == 1


def test_a_first_line_that_is_no_header_stays(tmp_path: Path) -> None:
    names = ("Pumps are oiled", "Valves leak", "Furnaces glow", "Cranes lift", "Lathes turn", "Kilns cool")
    text = with_headers(tmp_path / "lines.pdf", [(60.0, f"{name}.", "") for name in names])
    assert all(name in text for name in names)
