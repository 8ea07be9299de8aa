"""Tables of a passage: header, rows, and where each row stands in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from contracts.text import Span
from tools.language import fold
from tools.tables.records import RULE, is_body_row, is_table_line, key_column, split_cells
from tools.tables.values import NOTHING

Operation = Literal["cell", "filter", "count", "extreme", "compare", "list"]
# A line without cells is the name of a group of rows only if it is short.
_MAX_GROUP_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: as many cells as the table has columns, its line (from 0) and ``span`` in the text, its group's name."""

    cells: tuple[str, ...]
    line: int
    span: Span
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. ``header`` holds "" for columns without a name; column ``key`` names the rows."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    key: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """What of ``table`` answers: indices of its rows and columns, in the table's order.

    Of the columns, ``asked`` are those asked for, without those by which the rows were found.
    ``match`` in [0, 1] is the share of the question, by weight of words, that the table accounts for: below about 0.5
    the question asks for something else, from 0.75 on for this. ``count`` is set where a count was asked for; "cell" is
    a look-up by name.
    """

    table: Table
    operation: Operation
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    match: float
    count: int | None = None
    asked: tuple[int, ...] = ()

    @property
    def tells(self) -> bool:
        """Whether a cell that was asked for is filled: what a table leaves empty, it does not tell."""
        asked = [column for column in self.asked or self.columns if column != self.table.key]
        cells = (self.table.rows[row].cells[column] for row in self.rows for column in asked)
        return not asked or any(cell.strip() and fold(cell) not in NOTHING for cell in cells)


def parse_tables(text: str, title: str = "") -> tuple[Table, ...]:
    """Read the tables of a passage's ``text``, in order; a table without a row below its header is none.

    ``title`` is what the table is about as far as its surroundings say (the heading path); a line right above the
    header is added to it.
    """
    blocks: list[list[tuple[int, Span, str]]] = [[]]
    for number, match in enumerate(re.finditer(r"[^\n]*(?:\n|$)", text)):
        line = match.group().rstrip("\n")
        if not line.strip() or (blocks[-1] and not is_table_line(line) and len(line) > _MAX_GROUP_CHARACTERS):
            blocks.append([])
        elif not RULE.match(line):
            blocks[-1].append((number, Span(match.start(), match.start() + len(line.rstrip())), line))
    return tuple(table for block in blocks if (table := _table(block, title)) is not None)


def _table(lines: list[tuple[int, Span, str]], title: str) -> Table | None:
    first = next((index for index, (_, _, line) in enumerate(lines) if is_table_line(line)), len(lines))
    above = " ".join(line.strip() for _, _, line in lines[max(first - 1, 0) : first])
    cells = [split_cells(line) for _, _, line in lines[first:]]
    if len(cells) < 2 or len(cells[1:]) == sum(len(row) == 1 for row in cells[1:]):
        return None
    width = max(map(len, cells))
    header = cells[0]
    if is_body_row(header, [row for row in cells[1:] if len(row) > 1]):
        header = ("",) * width
    header += ("",) * (width - len(header))
    rows = tuple(_rows(lines[first:], header))
    title = " ".join(filter(None, (title, above)))
    return Table(header=header, rows=rows, key=key_column(header, [row.cells for row in rows]), title=title)


def _rows(lines: list[tuple[int, Span, str]], header: tuple[str, ...]) -> Iterator[Row]:
    group = ""
    for number, span, line in lines:
        cells = split_cells(line)
        padded = cells + ("",) * (len(header) - len(cells))
        if len(cells) == 1 and len(header) > 1:
            group = cells[0]
        elif any(cells) and padded != header:
            yield Row(cells=padded, line=number, span=span, group=group)
