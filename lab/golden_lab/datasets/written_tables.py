"""Made tables as files: Word, workbook, web page, Markdown and PDF, with the merged cells that each format has."""

import html
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from golden_lab.datasets.made_tables import MadeDocument, MadeTable

_BEFORE = "This handbook is kept by the workshop. It is printed once a year."
_AFTER = "Changes are announced on the board beside the gate."


def write_documents(documents: Sequence[MadeDocument], folder: Path) -> None:
    """Write each document below ``folder``, under its name.

    Raises:
        ImportError: PDF files are wanted and reportlab is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    writers = {".md": _markdown, ".html": _html, ".docx": _docx, ".xlsx": _xlsx, ".pdf": _pdf}
    for document in documents:
        writers[document.suffix](document, folder / document.name)


def _runs(cells: Sequence[str]) -> list[tuple[int, int]]:
    """Return where neighbours are alike, as (start, length)."""
    runs, start = [], 0
    for _, same in groupby(cells):
        length = len(list(same))
        runs.append((start, length))
        start += length
    return runs


def _header_merges(table: MadeTable) -> list[tuple[int, int, int, int]]:
    """Return the header's merged cells as (row, column, rows, columns)."""
    if len(table.header) < 2:
        return []
    found = []
    for start, length in _runs(table.header[0]):
        rows = 2 if table.header[0][start] == table.header[1][start] else 1
        if rows * length > 1:
            found.append((0, start, rows, length))
    return found


def _merges(table: MadeTable) -> list[tuple[int, int, int, int]]:
    """Return all merged cells as (row, column, rows, columns), rows counted from the first header row."""
    found = _header_merges(table)
    below = len(table.header)
    if table.merged:
        runs = _runs([row[0] for row in table.rows])
        found += [(below + start, 0, length, 1) for start, length in runs if length > 1]
    found += [(below + at, 0, 1, table.width) for at, row in enumerate(table.rows) if len(row) == 1]
    return found


def _grid(table: MadeTable) -> list[list[str]]:
    """Return all rows, merged cells written where they begin."""
    rows = [list(row) + [""] * (table.width - len(row)) for row in (*table.header, *table.rows)]
    for top, left, height, width in _merges(table):
        for row in range(top, top + height):
            for column in range(left, left + width):
                if (row, column) != (top, left):
                    rows[row][column] = ""
    return rows


def _markdown(document: MadeDocument, path: Path) -> None:
    rows = ["| " + " | ".join(row) + " |" for row in _grid(document.table)]
    rows.insert(1, "|" + "---|" * document.table.width)
    notes = "\n\n".join(document.table.notes)
    path.write_text(
        f"# {document.title}\n\n{_BEFORE}\n\n{document.table.caption}\n\n"
        + "\n".join(rows)
        + f"\n\n{notes}\n\n{_AFTER}\n",
        encoding="utf-8",
    )


def _html(document: MadeDocument, path: Path) -> None:
    table = document.table
    merges = {(row, column): (height, width) for row, column, height, width in _merges(table)}
    hidden = {
        (row, column)
        for top, left, height, width in _merges(table)
        for row in range(top, top + height)
        for column in range(left, left + width)
    } - set(merges)
    lines = []
    for at, row in enumerate(_grid(table)):
        mark = "th" if at < len(table.header) else "td"
        cells = []
        for column, text in enumerate(row):
            if (at, column) in hidden:
                continue
            height, width = merges.get((at, column), (1, 1))
            cells.append(f'<{mark} rowspan="{height}" colspan="{width}">{html.escape(text)}</{mark}>')
        lines.append("<tr>" + "".join(cells) + "</tr>")
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in table.notes)
    path.write_text(
        f"<html><head><title>{document.title}</title></head><body><h1>{document.title}</h1><p>{_BEFORE}</p>"
        f"<table><caption>{table.caption}</caption>{''.join(lines)}</table>{notes}<p>{_AFTER}</p></body></html>",
        encoding="utf-8",
    )


def _docx(document: MadeDocument, path: Path) -> None:
    import docx
    from docx.oxml import OxmlElement

    word: Any = docx.Document()
    word.add_heading(document.title, 1)
    word.add_paragraph(_BEFORE)
    word.add_paragraph(document.table.caption, style="Caption")
    rows = _grid(document.table)
    grid = word.add_table(rows=len(rows), cols=document.table.width)
    # Fetched once: each look at a table's cells counts them all again.
    places, width = list(grid._cells), document.table.width
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            if text:
                places[at * width + column].text = text
    for top, left, height, wide in _merges(document.table):
        places[top * width + left].merge(places[(top + height - 1) * width + left + wide - 1])
    for row in grid.rows[: len(document.table.header)]:
        row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for note in document.table.notes:
        word.add_paragraph(note)
    word.add_paragraph(_AFTER)
    word.save(str(path))


def _xlsx(document: MadeDocument, path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = document.title[:31]
    sheet.append([document.table.caption])
    for row in _grid(document.table):
        sheet.append([text or None for text in row])
    for top, left, height, width in _merges(document.table):
        sheet.merge_cells(start_row=top + 2, start_column=left + 1, end_row=top + 1 + height, end_column=left + width)
    for note in document.table.notes:
        sheet.append([note])
    book.save(path)


def _pdf(document: MadeDocument, path: Path) -> None:
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

    styles = getSampleStyleSheet()
    ruled: list[Any] = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
    ruled += [("FONTNAME", (0, 0), (-1, len(document.table.header) - 1), "Helvetica-Bold")]
    for top, left, height, width in _merges(document.table):
        ruled.append(("SPAN", (left, top), (left + width - 1, top + height - 1)))
    story = [
        Paragraph(document.title, styles["Title"]),
        Paragraph(_BEFORE, styles["BodyText"]),
        Paragraph(document.table.caption, styles["BodyText"]),
        Table(_grid(document.table), style=ruled, repeatRows=len(document.table.header)),
        *(Paragraph(note, styles["BodyText"]) for note in document.table.notes),
        Spacer(1, 12),
        Paragraph(_AFTER, styles["BodyText"]),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, title=document.title, invariant=1).build(story)
