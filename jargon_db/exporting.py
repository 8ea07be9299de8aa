"""Exporting: the dictionary and its contexts as files that import back to the same."""

import csv
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from contracts.errors import InvalidInput
from jargon_db.cells import guarded, joined_aliases, joined_examples, without_numbers
from jargon_db.folding import legible
from jargon_db.importing import CONTEXT_COLUMNS, TERM_COLUMNS
from jargon_db.reading import JargonReader


def export_terms(store: JargonReader, path: Path) -> int:
    """Write every sense, whatever its state, to a CSV or XLSX file, and return how many there are.

    Evidence, versions and history stay behind. A file that is there is replaced.

    Raises:
        InvalidInput: the file is of another kind or cannot be written.
    """
    rows = [
        (
            sense.term,
            joined_aliases(sense.aliases),
            sense.context,
            sense.extended_name,
            sense.description,
            sense.notes,
            sense.source,
            sense.state,
        )
        for sense in store.senses()
    ]
    write_sheet(path, TERM_COLUMNS, rows)
    return len(rows)


def export_contexts(store: JargonReader, path: Path) -> int:
    """Write every context to a CSV or XLSX file, and return how many there are; a file that is there is replaced.

    Raises:
        InvalidInput: the file is of another kind or cannot be written.
    """
    rows = [(each.name, each.description, joined_examples(each.examples)) for each in store.contexts()]
    write_sheet(path, CONTEXT_COLUMNS, rows)
    return len(rows)


def write_sheet(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a sheet to a CSV or XLSX file, whole or not at all. No cell of it runs as a formula.

    Raises:
        InvalidInput: the file is of another kind or cannot be written.
    """
    writers = {".csv": _write_csv, ".xlsx": _write_xlsx}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise InvalidInput(f"{path.name}: name a file that ends in .csv or .xlsx.", field="file")
    readable = [tuple(legible(cell) for cell in row) for row in rows]
    try:
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".export-") as folder:
            written = Path(folder) / path.name
            write(written, [tuple(header), *readable])
            os.replace(written, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}.", field="file") from error


def _write_csv(path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    # The mark at the beginning tells spreadsheet programs that this is UTF-8; quotes around each cell keep what would
    # be a separator to a program that expects another one.
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([guarded(cell) for cell in row] for row in rows)


def _write_xlsx(path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("dictionary")
    for row in rows:
        cells = []
        for text in row:
            cell = WriteOnlyCell(sheet, value=without_numbers(text))
            # A text, whatever it looks like, and it stays one when somebody edits it.
            cell.data_type = "s"
            cell.quotePrefix = guarded(text) != text
            cells.append(cell)
        sheet.append(cells)
    book.save(path)
