"""Workbooks (XLSX): a sheet is a page; empty rows and columns separate its tables."""

import datetime
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.exceptions import InvalidFileException

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.layout.tables import looks_like_header
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import ZIP_DAMAGES, check_container, office_title
from ingestion.readers.grid import MAX_REPEATED_CHARACTERS, grid_block, one_line, take_rows_above_header
from tools.ocr import OcrEngine

_DAMAGES = (KeyError, ValueError, SyntaxError, TypeError, AttributeError, *ZIP_DAMAGES)
_SHEET_XML = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LONG_REMARK_CHARACTERS = 40
# Empty cells are skipped, but a sheet that claims billions of them is not iterated.
_EMPTY_PER_FILLED = 50
_MAX_MERGED = 50_000
# Parts of a number format.
_IN_COLOUR_OR_PADDING = re.compile(r"\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_DIGITS = re.compile(r"([^0#?]*)([0#?][0#?,.]*|\.[0#?]+)([^0#?]*)")


# The rows of a sheet that contain text, by row number (counted from 1).
_Rows = dict[int, list[str]]


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the sheets of a workbook: their values as shown, formulas with their last computed results.

    Hidden sheets are returned empty, with a warning.

    Raises:
        UnreadableFile: the file is damaged or encrypted, is too large when unpacked, or has too many cells.
    """
    check_container(path, limits, "xl/workbook.xml")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, *_DAMAGES) as error:
        raise UnreadableFile(str(path), f"it is not a readable workbook ({error})") from error
    with closing(book):
        left = limits.cells
        for number, sheet in enumerate(book.worksheets, start=1):
            if sheet.sheet_state != "visible":
                yield Page(number=number, blocks=(), warnings=(f"sheet {sheet.title!r} is hidden and was left out",))
                continue
            try:
                merged = _merged_ranges(book, sheet)
                rows = _rows_of(sheet, left, _EMPTY_PER_FILLED * limits.cells)
            except _TooManyCells as error:
                reason = f"it has more than the {limits.cells:,} filled cells allowed; split it"
                raise UnreadableFile(str(path), reason, page=number) from error
            except _DAMAGES as error:
                warning = f"sheet {sheet.title!r} could not be read ({type(error).__name__}: {error})"
                yield Page(number=number, blocks=(), warnings=(warning,))
                continue
            left -= sum(map(_filled, rows.values()))
            _fill_merged(rows, merged)
            blocks = tuple(_blocks_of(rows, number))
            heading = Block(kind="heading", text=one_line(sheet.title), page=number, level=1)
            yield Page(number=number, blocks=(heading, *blocks) if blocks else ())


title = office_title


class _TooManyCells(Exception):
    """The sheet has more cells than the limit still allows."""


def _rows_of(sheet: Any, most_filled: int, most_cells: int) -> _Rows:
    # The sheet's declared size may be out of date, and the rest would not be read.
    sheet.reset_dimensions()
    rows: _Rows = {}
    filled = walked = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        walked += len(row)
        texts = [_text_of(cell) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        filled += _filled(texts)
        if filled > most_filled or walked > most_cells:
            raise _TooManyCells
        if texts:
            rows[number] = texts
    return rows


def _text_of(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    code = str(cell.number_format or "")
    if isinstance(value, float | int):
        return one_line(shown_number(value, code))
    if isinstance(value, datetime.date | datetime.time):
        return shown_date(value)
    return one_line(str(value))


def _merged_ranges(book: Any, sheet: Any) -> list[tuple[int, int, int, int]]:
    """Return the merged ranges of a sheet (first column, first row, last column, last row), counted from 1.

    openpyxl's streaming reader ignores them.
    """
    from lxml import etree

    merged: list[tuple[int, int, int, int]] = []
    with book._archive.open(sheet._worksheet_path) as content:
        row, cell = f"{_SHEET_XML}row", f"{_SHEET_XML}mergeCell"
        for _, element in etree.iterparse(content, tag=(row, cell), resolve_entities=False, no_network=True):
            if element.tag == row:
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
            elif len(merged) < _MAX_MERGED:
                merged.append(range_boundaries(element.get("ref")))
    return merged


def _fill_merged(rows: _Rows, merged: Sequence[tuple[int, int, int, int]]) -> None:
    """Repeat a short name in the rows that its cell spans, and in the columns unless it is alone in its row.

    A single text is a title across the whole table; a long text stays where it begins.
    """
    for first_column, first_row, last_column, last_row in merged:
        top = rows.get(first_row, [])
        text = top[first_column - 1] if first_column <= len(top) else ""
        if not text or len(text) > MAX_REPEATED_CHARACTERS:
            continue
        alone = _filled(top) == 1
        across = first_column if alone else last_column
        down = first_row if alone else last_row
        # Empty rows are not in ``rows``.
        for number in rows if down - first_row > len(rows) else range(first_row, down + 1):
            row = rows.get(number)
            if row is not None and first_row <= number <= down:
                row.extend([""] * (across - len(row)))
                row[first_column - 1 : across] = [text] * (across - first_column + 1)


def _blocks_of(rows: _Rows, page: int) -> Iterator[Block]:
    region: list[list[str]] = []
    for number, cells in rows.items():
        if region and number - 1 not in rows and not _goes_on(rows, number, region):
            yield from _part_columns(region, page)
            region = []
        region.append(cells)
    if region:
        yield from _part_columns(region, page)


def _goes_on(rows: _Rows, number: int, region: list[list[str]]) -> bool:
    """Return whether a row belongs to the header above it despite an empty row between them: all rows are spaced."""
    alone = number - 2 in rows and number - 3 not in rows
    return alone and _filled(region[0]) == _filled(rows[number]) > 2 and looks_like_header(region[0], [rows[number]])


def _part_columns(region: list[list[str]], page: int) -> Iterator[Block]:
    """Split tables that are side by side: at an empty column with at least two filled ones on each side."""
    width = max(map(len, region))
    used = [any(column < len(row) and row[column] for row in region) for column in range(width)]
    runs: list[tuple[int, int]] = []
    for column in range(width):
        if used[column] and runs and runs[-1][1] == column:
            runs[-1] = (runs[-1][0], column + 1)
        elif used[column]:
            runs.append((column, column + 1))
    parts = [[row[start:end] for row in region] for start, end in runs]
    if len(region) < 2 or not all(end - start >= 2 for start, end in runs) or len(runs) < 2:
        yield from _region_blocks(region, page)
        return
    for part in parts:
        # A shorter table next to a longer one may have its own empty rows.
        yield from _blocks_of({number: row for number, row in enumerate(part) if any(row)}, page)


def _region_blocks(region: list[list[str]], page: int) -> Iterator[Block]:
    """Return the blocks between two empty rows: titles in their own rows, a table, remarks below it."""
    yield from take_rows_above_header(region, page)
    while region and _filled(region[0]) == 1 and len(region) > 1:
        yield Block(kind="caption" if _filled(region[1]) > 1 else "paragraph", text=_only(region.pop(0)), page=page)
    remarks: list[str] = []
    while len(region) > 1 and _filled(region[-1]) == 1 and len(_only(region[-1])) > _LONG_REMARK_CHARACTERS:
        remarks.insert(0, _only(region.pop()))
    block = grid_block(region, page, header_rows=_header_rows(region))
    if block is not None:
        yield block
    for remark in remarks:
        yield Block(kind="paragraph", text=remark, page=page)


def _header_rows(region: list[list[str]]) -> int | None:
    """Return 2 if group names are above the column names, None if the first row decides."""
    if len(region) <= 3:
        return None
    widest = max(map(_filled, region))
    above, names = region[0], region[1]
    grouped = _filled(above) < widest == _filled(names) or _repeats(above)
    is_names = looks_like_header([text for text in names if text], []) and all(
        not text or not text[0].isdigit() for text in above
    )
    numbers_below = not any(text[:1].isdigit() for text in names)
    return 2 if grouped and is_names and numbers_below else None


def _repeats(row: Sequence[str]) -> bool:
    """Return whether neighbours are equal, as when a name was filled into the columns that its cell spans."""
    return any(left and left == right for left, right in pairwise(row))


def _filled(row: Sequence[str]) -> int:
    return sum(1 for text in row if text)


def _only(row: Sequence[str]) -> str:
    return next(text for text in row if text)


def shown_number(value: float, code: str) -> str:
    """Format a number with the decimals, thousands, percent sign, currency or unit of the format ``code``.

    Other formats (powers, fractions, words only) leave the number as it is.
    """
    section = _IN_COLOUR_OR_PADDING.sub(r"\1", code.split(";")[0])
    parts = _DIGITS.fullmatch(_QUOTED.sub(r"\1\2", section))
    if parts is None or "/" in parts[3] or re.search(r"E[+-]|[eE]$", section) or parts[2].endswith(","):
        return str(value) if isinstance(value, int) else f"{value:.12g}"
    whole, _, decimals = parts[2].partition(".")
    scaled = value * 100 ** section.count("%")
    text = f"{abs(scaled):{',' if ',' in whole else ''}.{len(decimals)}f}"
    optional = len(decimals) - decimals.count("0")
    while optional and text.endswith("0"):
        text, optional = text[:-1], optional - 1
    text = text.removesuffix(".").rjust(whole.count("0"), "0")
    sign = "-" if scaled < 0 and text.strip("0,.") else ""
    return f"{sign}{parts[1]}{text}{parts[3]}".strip()


def shown_date(value: datetime.datetime | datetime.date | datetime.time) -> str:
    """Format a date or time in ISO order, which is unambiguous; a date at midnight is shown without a time."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    return value.isoformat()
