"""Lists, code, questions with answers, and tables of real files as passages."""

from pathlib import Path

import openpyxl
from reportlab.platypus import Table

from contracts.text import Chunk, Passage
from tests.ingestion.reading_files import passages_of, the_one_with
from tests.ingestion.samples import GRID, build_pdf, paragraph
from tools.reading.quotes import read_quotes

FILLER = " ".join(f"Sentence {n} tells of the weather in the valley." for n in range(12))


def written(tmp_path: Path, text: str, *, tokens: int = 250) -> list[Chunk]:
    """Return the passages of a page of Markdown, or of HTML where it begins with a tag."""
    path = tmp_path / ("page.html" if text.startswith("<") else "page.md")
    path.write_text(text)
    return passages_of(path, tokens=tokens)


def test_list_stays_whole_or_its_pieces_repeat_its_introduction(tmp_path: Path) -> None:
    items = "\n".join(f"{n}. turn the handle slowly to mark {n} and wait" for n in range(1, 31))
    found = written(tmp_path, f"{FILLER}\n\nTo drain the tank, do these in order:\n\n{items}\n")
    assert the_one_with(found, "mark 30").text == f"To drain the tank, do these in order:\n\n{items}"
    # Each piece of a longer list repeats it.
    items = "\n".join(f"{n}. turn the handle slowly to mark {n} and wait" for n in range(1, 80))
    found = written(tmp_path, f"{FILLER} To drain the tank, do these in order:\n\n{items}\n")
    lists = [chunk for chunk in found if "turn the handle" in chunk.text]
    assert len(lists) > 2
    assert "do these in order:\n" in lists[0].text
    assert all(chunk.heading_path == ("To drain the tank, do these in order:",) for chunk in lists[1:])
    assert "\n".join(chunk.text for chunk in lists[1:]) in items
    steps = [line for chunk in lists for line in chunk.text.split("\n") if "turn the handle" in line]
    assert steps == items.split("\n")


def test_nested_items_repeat_their_parent_items(tmp_path: Path) -> None:
    lines = []
    for machine in ("press", "kiln"):
        lines.append(f"- the {machine}")
        for part in range(3):
            lines.append(f"  - part {part}")
            lines += [f"    - check {n} of part {part} of the {machine} takes a minute" for n in range(12)]
    found = written(tmp_path, "Check:\n\n" + "\n".join(lines) + "\n", tokens=120)
    assert len(found) > 5
    for chunk in found:
        shown = [*chunk.heading_path, *chunk.text.split("\n")]
        first = next(n for n, line in enumerate(shown) if "- check" in line)
        inner, outer = shown[first].removesuffix(" takes a minute").split(" of ")[1:]
        assert "Check:" in shown[:first]
        assert any(line.strip(" -") == outer for line in shown[:first])
        assert any(line.strip(" -") == inner for line in shown[:first])
    assert [line for chunk in found for line in chunk.text.split("\n") if "- " in line] == lines


def test_rest_of_a_long_step_repeats_its_opening(tmp_path: Path) -> None:
    long = " ".join(f"Look at gauge {n} until it stands still." for n in range(60))
    found = written(tmp_path, f"Do this:\n\n1. Open the inlet.\n2. {long}\n3. Close it.\n")
    rest = [chunk for chunk in found[1:] if "gauge" in chunk.text]
    assert rest
    for chunk in rest:
        assert chunk.heading_path[0] == "Do this:"
        assert chunk.heading_path[1].startswith("2. Look at gauge 0 until it")
    assert the_one_with(found, "Close it").heading_path == ("Do this:",)
    # A short list in a long item stays whole with its introduction.
    for sentences in range(30, 60):
        long = " ".join(f"Look at gauge {n} until it stands still." for n in range(sentences))
        inner = "\n".join(f"   - reading {n} means that the kiln has cooled down" for n in range(4))
        text = f"Do this:\n\n1. Open it.\n2. {long} The readings are:\n{inner}\n3. Close it.\n"
        found = the_one_with(written(tmp_path, text), "reading 0")
        assert "The readings are:" in found.text
        assert "reading 3" in found.text


def test_sentence_that_announces_goes_with_what_it_announces(tmp_path: Path) -> None:
    values = [f"value {n} lets the kiln cool down for {n} minutes before it is opened" for n in range(16)]
    items = "\n".join(f"  - {value}" for value in values[:6])
    others = "\n".join(f"- stop {n}: Ends program {n} with a click of the red key." for n in range(40))
    paragraphs = "\n\n".join(f"{value.capitalize()}." for value in values)
    for sentences in range(18, 28):
        long = " ".join(f"Look at gauge {n} until it stands still." for n in range(sentences))
        for text in (f"- pause: {long} It can be one of:\n{items}\n{others}", f"{long} It can be:\n\n{paragraphs}"):
            found = the_one_with(written(tmp_path, f"{text}\n"), "alue 0")
            assert "It can be" in found.text, sentences


def test_code_under_an_item_stays_with_it(tmp_path: Path) -> None:
    body = "".join(
        f"<dt>set-{n}</dt><dd><p>Sets register {n} of the pump to a new value. For instance:</p>"
        f"<pre>pump set-{n} 12</pre><p>The pump stops meanwhile.</p></dd>"
        for n in range(40)
    )
    found = written(tmp_path, f"<p>The commands are:</p><dl>{body}</dl>")
    assert len(found) > 3
    assert all(chunk.heading_path == ("The commands are:",) for chunk in found[1:])
    for n in range(40):
        item = (
            f"- set-{n}: Sets register {n} of the pump to a new value. For instance:\n\n  pump set-{n} 12\n\n"
            "  The pump stops meanwhile."
        )
        assert item in the_one_with(found, f"set-{n} 12").text


def test_code_is_cut_at_line_ends_and_repeats_its_introduction(tmp_path: Path) -> None:
    lines = [f"    set_register(0x{n:04x}, value_of({n}))" for n in range(120)]
    found = written(tmp_path, "Run this script:\n\n```\n" + "\n".join(lines) + "\n```\n")
    assert len(found) > 2
    assert found[0].text.startswith("Run this script:\n")
    assert all(chunk.heading_path == ("Run this script:",) for chunk in found[1:])
    assert [line for chunk in found for line in chunk.text.split("\n") if "set_register" in line] == lines
    # Short code stays with the paragraph before it.
    parts = [f"{FILLER[:200]} Then start pump {n}.\n\n```\nstart({n})\nwait({n})\n```\n" for n in range(12)]
    found = written(tmp_path, "\n".join(parts))
    assert len(found) > 2
    for n in range(12):
        assert f"Then start pump {n}.\n\nstart({n})\nwait({n})" in the_one_with(found, f"start({n})").text


def test_table_follows_its_introduction(tmp_path: Path) -> None:
    table = "| Mode | Pressure |\n|---|---|\n" + "".join(f"| mode{n} | {n} bar |\n" for n in range(4))
    lead = "The following table lists the modes of the pump with the pressures that each of them needs at the inlet."
    (only,) = written(tmp_path, f"{lead}\n\n{table}")
    assert only.heading_path == (lead,)
    first, second = written(tmp_path, f"The pump has modes. {lead}\n\n{table}")
    assert first.text == f"The pump has modes. {lead}"
    assert second.heading_path == (lead,)


def test_a_question_stays_with_its_answer(tmp_path: Path) -> None:
    pairs = [f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait." for n in range(40)]
    found = written(tmp_path, "\n\n".join(pairs) + "\n")
    assert len(found) > 2
    for n in range(40):
        pair = f"How is machine {n} started?\n\nPress key {n} for {n + 2} seconds, then wait."
        assert any(pair in chunk.text for chunk in found)


def test_sentences_of_a_long_question_are_a_heading_not_an_answer(tmp_path: Path) -> None:
    asked = "Q: My crane has two hooks. Both of them turn when I lift a long load, even though I hold the rope tight"
    for question in (f"{asked} and stand still. Why?", f"{asked} and stand still."):
        path = tmp_path / "faq.txt"
        path.write_text(
            f"{question}\nA: Fix the guide rail. It keeps the load from turning.\n\nQ: Loud?\nA: No, it is not.\n"
        )
        found = the_one_with(passages_of(path), "guide rail")
        quotes = read_quotes(Passage(chunk=found, document_name="faq.txt", document_title="", score=1.0))
        assert found.text[quotes[0].span.start : quotes[0].span.end].startswith("Fix the guide rail.")
        heading = question.removeprefix("Q: ") if question.endswith("?") else question
        nearest = quotes[0].headings[-1]
        assert found.text[nearest.start : nearest.end] == heading


def rows_of(cells: list[list[str]], mark: str = "td") -> str:
    return "".join("<tr>" + "".join(f"<{mark}>{cell}</{mark}>" for cell in row) + "</tr>" for row in cells)


def test_header_rows_are_joined_and_units_put_in_brackets(tmp_path: Path) -> None:
    table = (
        "<table><thead><tr><th rowspan=2>Site</th><th colspan=2>Output</th></tr><tr><th>2023</th><th>2024</th></tr>"
        "</thead>" + rows_of([["", "t", "t"], ["Oslo", "7", "9"], ["Bergen", "5", "4"]]) + "</table>"
    )
    (only,) = written(tmp_path, table)
    assert only.text.split("\n") == ["Site | Output 2023 (t) | Output 2024 (t)", "Oslo | 7 | 9", "Bergen | 5 | 4"]
    # A line of units above a table does not hide its caption.
    table = f"<table>{rows_of([['Bolt', 'Length']], 'th')}{rows_of([['B1', '30'], ['B2', '40']])}</table>"
    (only,) = written(tmp_path, f"<p>Table 7: bolts</p><p>(all dimensions in mm)</p>{table}")
    assert only.searchable_text == "Table 7: bolts\nBolt | Length\nB1 | 30\nB2 | 40\n\n(all dimensions in mm)"
    # An empty first cell is filled in complete rows only.
    (only,) = written(
        tmp_path,
        "| Region | City | Sales |\n|---|---|---|\n| North | Oslo | 3 |\n| | Bergen | 4 |\n| | and around | |\n"
        "| South | Rome | 5 |\n| | Bari | 6 |\n",
    )
    assert only.text.split("\n")[1:] == [
        "North | Oslo | 3", "North | Bergen | 4", "| and around", "South | Rome | 5", "South | Bari | 6",
    ]  # fmt: skip


def test_rows_below_a_spanning_row_repeat_its_name(tmp_path: Path) -> None:
    body = "".join(
        f"<tr><td colspan=3>{hall} hall</td></tr>" + rows_of([[f"Motor {n}", f"{n} kW", f"{n} bar"] for n in range(40)])
        for hall in ("North", "South")
    )
    found = written(tmp_path, f"<table>{rows_of([['Part', 'Power', 'Limit']], 'th')}{body}</table>")
    rows = [row for chunk in found for row in chunk.text.split("\n")[1:]]
    assert rows == [f"{hall} hall, Motor {n} | {n} kW | {n} bar" for hall in ("North", "South") for n in range(40)]
    # A row without values is kept, but names no other rows.
    rows = [["Oslo", "1", "2"], ["Malta", "", ""], *([f"Town {n}", str(n), str(n + 1)] for n in range(60))]
    found = written(tmp_path, f"<table>{rows_of([['Place', 'In', 'Out']], 'th')}{rows_of(rows)}</table>")
    assert len(found) > 1
    assert all("Malta, Town" not in chunk.text for chunk in found)
    assert found[1].text.startswith("Place | In | Out\nMalta\nTown")


def test_a_table_over_pages_is_one_table_with_its_caption_and_places(tmp_path: Path) -> None:
    rows = [["Part", "Shelf"], *([f"part {n}", f"shelf {n}"] for n in range(70))]
    story = [paragraph("Table 2: the store in spring"), Table(rows, style=[GRID], repeatRows=1)]
    build_pdf(tmp_path / "store.pdf", story)
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


def test_table_that_is_too_wide_is_split_by_columns_with_its_key(tmp_path: Path) -> None:
    names = [f"measured value of the long test number {n}" for n in range(30)]
    book = openpyxl.Workbook()
    book.active.append(["Sample", *names])
    for line in range(8):
        book.active.append([f"S-{line}", *(f"{line}.{column}" for column in range(30))])
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


def test_row_that_is_too_long_is_cut_between_cells_with_headers(tmp_path: Path) -> None:
    long = " ".join(f"Step {n} turns the handle of the gate gently." for n in range(60))
    rows = [["P-1", "3 bar", "Open it.", "Anna"], ["P-2", "6 bar", long, "Bert"], ["P-3", "9 bar", "Shut it.", "Cora"]]
    table = f"<table>{rows_of([['Pump', 'Limit', 'Procedure', 'Owner']], 'th')}{rows_of(rows)}</table>"
    found = written(tmp_path, table)
    assert the_one_with(found, "Bert").text == "Pump | Limit | Owner\nP-2 | 6 bar | Bert"
    steps = [chunk for chunk in found if "Step " in chunk.text]
    assert len(steps) > 2
    assert all(chunk.text.startswith("Pump | Procedure\nP-2 | Step") for chunk in steps)
    assert all(chunk.text.endswith(".") for chunk in steps)


def test_notes_and_units_stay_with_their_rows(tmp_path: Path) -> None:
    rows = [[f"Motor {n}", f"{n}.5 kW{'*' if n == 3 else ''}", f"{n}.7 kW{'†' if n == 99 else ''}"] for n in range(100)]
    table = f"<table><caption>Table 1: motors</caption>{rows_of([['Motor', 'In', 'Out']], 'th')}{rows_of(rows)}</table>"
    notes = "<p>(all values in the cold)</p><p>* when cold</p><p>† not for sale</p><p>The next chapter is short.</p>"
    found = written(tmp_path, table + notes)
    tables = [chunk for chunk in found if chunk.block_kind == "table"]
    assert len(tables) > 2
    assert all("\n\n(all values in the cold)" in chunk.text for chunk in tables)
    assert [("* when cold" in chunk.text) for chunk in tables] == ["3.5 kW*" in chunk.text for chunk in tables]
    assert the_one_with(tables, "† not for sale").text.count("Motor 99 |") == 1
    assert the_one_with(found, "The next chapter").block_kind == "paragraph"
