"""Tables of real files as passages: what one must know to understand a cell stands in the passage of its row."""

from pathlib import Path

import openpyxl
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from tests.ingestion.reading_files import passages_of, the_one_with


def write_html(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "page.html"
    path.write_text(f"<html><body>{body}</body></html>")
    return path


def rows_of(cells: list[list[str]], mark: str = "td") -> str:
    return "".join("<tr>" + "".join(f"<{mark}>{cell}</{mark}>" for cell in row) + "</tr>" for row in cells)


def test_two_header_rows_are_one_line_and_a_row_of_units_goes_in_brackets(tmp_path: Path) -> None:
    table = (
        "<table><thead><tr><th rowspan=2>Site</th><th colspan=2>Output</th></tr><tr><th>2023</th><th>2024</th></tr>"
        "</thead>" + rows_of([["", "t", "t"], ["Oslo", "7", "9"], ["Bergen", "5", "4"]]) + "</table>"
    )
    (only,) = passages_of(write_html(tmp_path, table))
    assert only.text.split("\n") == ["Site | Output 2023 (t) | Output 2024 (t)", "Oslo | 7 | 9", "Bergen | 5 | 4"]


def test_rows_below_a_spanning_row_carry_its_name(tmp_path: Path) -> None:
    body = "".join(
        f"<tr><td colspan=3>{hall} hall</td></tr>" + rows_of([[f"Motor {n}", f"{n} kW", f"{n} bar"] for n in range(40)])
        for hall in ("North", "South")
    )
    found = passages_of(write_html(tmp_path, f"<table>{rows_of([['Part', 'Power', 'Limit']], 'th')}{body}</table>"))
    rows = [row for chunk in found for row in chunk.text.split("\n")[1:]]
    assert rows == [f"{hall} hall, Motor {n} | {n} kW | {n} bar" for hall in ("North", "South") for n in range(40)]


def test_a_row_without_values_names_no_other_row_but_stays_at_hand(tmp_path: Path) -> None:
    rows = [["Oslo", "1", "2"], ["Malta", "", ""], *([f"Town {n}", str(n), str(n + 1)] for n in range(60))]
    found = passages_of(
        write_html(tmp_path, f"<table>{rows_of([['Place', 'In', 'Out']], 'th')}{rows_of(rows)}</table>")
    )
    assert len(found) > 1
    assert all("Malta, Town" not in chunk.text for chunk in found)
    assert found[1].text.startswith("Place | In | Out\nMalta\nTown")


def test_a_first_cell_left_empty_is_filled_in_whole_rows_only(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        "| Region | City | Sales |\n|---|---|---|\n| North | Oslo | 3 |\n| | Bergen | 4 |\n| | and around | |\n"
        "| South | Rome | 5 |\n| | Bari | 6 |\n"
    )
    (only,) = passages_of(path)
    assert only.text.split("\n")[1:] == [
        "North | Oslo | 3", "North | Bergen | 4", "| and around", "South | Rome | 5", "South | Bari | 6",
    ]  # fmt: skip


def test_a_table_over_pages_is_one_table_with_its_caption_and_places(tmp_path: Path) -> None:
    styles = getSampleStyleSheet()
    rows = [["Part", "Shelf"], *([f"part {n}", f"shelf {n}"] for n in range(70))]
    grid = Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)], repeatRows=1)
    story = [Paragraph("Table 2: the store in spring", styles["BodyText"]), grid]
    SimpleDocTemplate(str(tmp_path / "store.pdf"), pagesize=A4).build(story)
    found = passages_of(tmp_path / "store.pdf", tokens=120)
    assert {chunk.heading_path for chunk in found} == {("Table 2: the store in spring",)}
    assert [row for chunk in found for row in chunk.text.split("\n")[1:]] == [" | ".join(row) for row in rows[1:]]
    over = next(chunk for chunk in found if chunk.page != chunk.last_page)
    assert (over.page, over.last_page) == (1, 2)
    for chunk in found:
        for each in chunk.boxes:
            assert chunk.text[each.span.start : each.span.end].strip()
        places = {
            chunk.text[each.span.start : each.span.end]: each.box.page for each in chunk.boxes if each.span.start > 12
        }
        assert set(places.values()) == {chunk.page, chunk.last_page}


def test_a_table_too_wide_is_parted_into_columns_with_its_key(tmp_path: Path) -> None:
    names = [f"measured value of the long test number {n}" for n in range(30)]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Sample", *names])
    for line in range(8):
        sheet.append([f"S-{line}", *(f"{line}.{column}" for column in range(30))])
    book.save(tmp_path / "wide.xlsx")
    found = passages_of(tmp_path / "wide.xlsx")
    assert len(found) > 2
    shown: dict[tuple[str, str], str] = {}
    for chunk in found:
        header, *rows = [line.split(" | ") for line in chunk.text.split("\n")]
        assert header[0] == "Sample"
        for row in rows:
            shown |= {(row[0], name): value for name, value in zip(header[1:], row[1:], strict=True)}
    assert shown == {(f"S-{line}", name): f"{line}.{n}" for line in range(8) for n, name in enumerate(names)}


def test_one_row_too_long_is_cut_between_cells_below_their_names(tmp_path: Path) -> None:
    long = " ".join(f"Step {n} turns the handle of the gate gently." for n in range(60))
    rows = [["P-1", "3 bar", "Open it.", "Anna"], ["P-2", "6 bar", long, "Bert"], ["P-3", "9 bar", "Shut it.", "Cora"]]
    table = f"<table>{rows_of([['Pump', 'Limit', 'Procedure', 'Owner']], 'th')}{rows_of(rows)}</table>"
    found = passages_of(write_html(tmp_path, table))
    assert the_one_with(found, "6 bar").text.endswith("P-2 | 6 bar")
    assert the_one_with(found, "Bert").text == "Pump | Owner\nP-2 | Bert"
    steps = [chunk for chunk in found if "Step " in chunk.text]
    assert len(steps) > 2
    assert all(chunk.text.startswith("Pump | Procedure\nP-2 | Step") for chunk in steps)
    assert all(chunk.text.endswith(".") for chunk in steps)


def test_notes_and_units_go_with_the_rows_that_they_belong_to(tmp_path: Path) -> None:
    rows = [[f"Motor {n}", f"{n}.5 kW{'*' if n == 3 else ''}", f"{n}.7 kW{'†' if n == 99 else ''}"] for n in range(100)]
    table = f"<table><caption>Table 1: motors</caption>{rows_of([['Motor', 'In', 'Out']], 'th')}{rows_of(rows)}</table>"
    notes = "<p>(all values in the cold)</p><p>* when cold</p><p>† not for sale</p><p>The next chapter is short.</p>"
    found = passages_of(write_html(tmp_path, table + notes))
    tables = [chunk for chunk in found if chunk.block_kind == "table"]
    assert len(tables) > 2
    assert all("\n\n(all values in the cold)" in chunk.text for chunk in tables)
    assert [("* when cold" in chunk.text) for chunk in tables] == ["3.5 kW*" in chunk.text for chunk in tables]
    assert the_one_with(tables, "† not for sale").text.count("Motor 99 |") == 1
    assert the_one_with(found, "The next chapter").block_kind == "paragraph"


def test_a_line_of_units_above_a_table_does_not_hide_its_caption(tmp_path: Path) -> None:
    table = f"<table>{rows_of([['Bolt', 'Length']], 'th')}{rows_of([['B1', '30'], ['B2', '40']])}</table>"
    (only,) = passages_of(write_html(tmp_path, f"<p>Table 7: bolts</p><p>(all dimensions in mm)</p>{table}"))
    assert only.searchable_text == "Table 7: bolts\nBolt | Length\nB1 | 30\nB2 | 40\n\n(all dimensions in mm)"


def test_two_columns_that_nothing_names_are_a_list(tmp_path: Path) -> None:
    path = tmp_path / "desks.txt"
    desks = {"Test floor desk:": 4300, "Failure analysis lab:": 4410, "Gate:": 4000}
    path.write_text("\n".join(f"{name:<28}ext. {number}" for name, number in desks.items()))
    (found,) = passages_of(path)
    assert found.block_kind == "list"
    assert found.text == "- Test floor desk: ext. 4300\n- Failure analysis lab: ext. 4410\n- Gate: ext. 4000"
