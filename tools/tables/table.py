"""Tables of a passage: header, rows, their places in the text, and how they are read and shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.text import Span
from tools.language import fold
from tools.tables.values import NOTHING

Operation = Literal["cell", "filter", "count", "extreme", "compare", "list"]
# A line without cells is the name of a group of rows only if it is short.
_MAX_GROUP_CHARACTERS = 60
_CELL_GAP = re.compile(r"(?:^|\s)\|(?=\s|$)")
_BARE_NUMBER = re.compile(r"[-+±≤≥<>~]?\s*\d[\d.,]*")
# Text in brackets at a header's end is a unit if a number with it is a quantity; years and notes are not.
_UNIT_IN_NAME = re.compile(
    r"\s*[(\[](?P<unit>%|°\s?[CF]|[kKMGTPµμnpfm]?(?:V|A|W|Hz|Ω|F|J|s|B|b|m|g|bits?|bytes?|T/s|B/s|b/s|bit/s|Bps|bps)|"
    r"mm|cm|nm|km|um|kg|ppm|dpi|min|minutes|hours|h|days|weeks|months|years|seconds|cycles|volts)[)\]]\s*$"
)
# The first cell may be a single dash.
_ITEM = re.compile(r"\s*[•◦▪●‣·*+–—-]\s+(?!\|)")
RULE = re.compile(r"^[\s|:+=-]*-[\s|:+=-]*$")
_GENERIC_HEADERS = frozenset(
    """
        value values description descriptions meaning definition definitions detail details explanation text
        content comment comments note notes remark remarks answer expansion
    """.split()  # noqa: SIM905
)
_MAX_COLUMNS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecord:
    """One body row of a table: ``cells[i]`` belongs to ``header[i]``; ``line`` counts the text's lines from 0.

    ``header`` is shorter or longer than ``cells`` only if the table is irregular; ``key`` is the column that names the
    row: the first one with text that distinguishes rows.
    """

    header: tuple[str, ...]
    cells: tuple[str, ...]
    line: int
    key: int = 0

    def name_of(self, column: int) -> str:
        return self.header[column] if column < len(self.header) else ""

    @property
    def key_text(self) -> str:
        return self.cells[self.key] if self.key < len(self.cells) else ""

    def reading(self) -> str:
        """Read the row with its header: "Interface: NV-DDR3; VccQ: 1.2 V"; cells that hold only a dash are left out."""
        if not any(self.header) and self.key_text:
            rest = [cell for column, cell in enumerate(self.cells) if cell and column != self.key]
            return f"{self.key_text.rstrip(' :')}: {'; '.join(rest)}" if rest else self.key_text
        parts = []
        for column, cell in enumerate(self.cells):
            if re.fullmatch(r"[-–—]?", cell) or (is_unit_header(self.name_of(column)) and self._unit_is_read()):
                continue
            name = self.plain_name(column)
            parts.append(f"{name}: {self.value(column)}" if name and name != cell else cell)
        return "; ".join(parts)

    def value(self, column: int) -> str:
        """Return a cell unchanged, with its unit if it is a bare number and the header or a column "Unit" names one."""
        cell = self.cells[column]
        unit = self._unit_of(column)
        return f"{cell} {unit}" if unit else cell

    def plain_name(self, column: int) -> str:
        """Return the header of ``column`` without the unit that ``value`` takes over."""
        name = self.name_of(column)
        if column < len(self.cells) and self._unit_of(column) and _UNIT_IN_NAME.search(name):
            return _UNIT_IN_NAME.sub("", name).strip()
        return name

    def _unit_of(self, column: int) -> str:
        if not _BARE_NUMBER.fullmatch(self.cells[column]) or is_unit_header(self.name_of(column)):
            return ""
        in_name = _UNIT_IN_NAME.search(self.name_of(column))
        if in_name:
            return in_name.group("unit")
        for other, name in enumerate(self.header):
            if is_unit_header(name) and other < len(self.cells) and column != self.key:
                return self.cells[other]
        return ""

    def _unit_is_read(self) -> bool:
        return any(
            _BARE_NUMBER.fullmatch(cell) and column != self.key and not is_unit_header(self.name_of(column))
            for column, cell in enumerate(self.cells)
        )


def is_unit_header(name: str) -> bool:
    """Return whether a column holds the units of the others."""
    return name.strip().casefold().rstrip(".") in {"unit", "units"}


def is_generic_header(name: str) -> bool:
    """Return whether a header names only the kind of its column ("Value", "Description"), not what is in it."""
    return name.strip().casefold() in _GENERIC_HEADERS


def split_cells(line: str) -> tuple[str, ...]:
    """Split a table's line at its ``|``; a pair of outer bars as Markdown writes them does not make cells.

    A bar only at the beginning follows an empty first cell, like that of a header above the names of rows.
    """
    text = line.strip()
    if text.endswith("|"):
        text = text[1:-1] if text.startswith("|") else text[:-1]
    return tuple(cell.strip() for cell in _CELL_GAP.split(text))


def is_table_line(line: str) -> bool:
    """Return whether a line has at least two cells; an item such as "- mode = on | off" has none."""
    return not _ITEM.match(line) and len(_CELL_GAP.split(line.strip().strip("|"))) >= 2


def read_table(text: str) -> tuple[TableRecord, ...]:
    """Read the rows below the header row of a table's text (one line per row, cells separated by `` | ``).

    The first line is the header; a line of dashes is ignored. Any text is accepted; without two lines there is no row.
    """
    lines = [
        (number, split_cells(line))
        for number, line in enumerate(text.splitlines())
        if line.strip() and not RULE.match(line)
    ]
    if len(lines) < 2:
        return ()
    header = lines[0][1]
    if is_body_row(header, [cells for _, cells in lines[1:]]):
        header = ("",) * len(header)
    body = [(number, cells) for number, cells in lines if any(cells) and cells != header]
    key = key_column(header, [cells for _, cells in body])
    return tuple(TableRecord(header=header, cells=cells, line=number, key=key) for number, cells in body)


def is_body_row(first: tuple[str, ...], rows: list[tuple[str, ...]]) -> bool:
    """Say whether a table has no header: its first row names its row with a colon, or has the shape of all others."""
    if first[0].endswith(":"):
        return True
    shapes = [re.sub(r"\d+", "0", cell) for cell in first]
    for column in range(1, len(first)):
        cells = [row[column] for row in rows if column < len(row)]
        if "0" in shapes[column] and cells and all(re.sub(r"\d+", "0", cell) == shapes[column] for cell in cells):
            return not _BARE_NUMBER.fullmatch(first[column])
    return False


def key_column(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> int:
    """Choose the column that names rows: the first whose cells are words, not running numbers, and mostly differ."""
    for column in range(min(3, len(header))):
        cells = [row[column] for row in rows if column < len(row) and row[column]]
        counting = [cell for cell in cells if re.fullmatch(r"\d{1,3}[.)]?", cell)]
        ordinal = header[column].strip().casefold() in {"#", "no", "no.", "nr", "nr.", "id", "item", "index", ""}
        if cells and not (len(counting) == len(cells) and ordinal) and len(set(cells)) * 2 > len(cells):
            return column
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: as many cells as the table has columns, its ``span`` in the text, the name of its group."""

    cells: tuple[str, ...]
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
    the question asks for something else, from 0.75 on for this. ``count`` is set if a count was asked for; "cell" is a
    look-up by name.
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
        """Whether a requested cell is filled: an empty cell is not an answer."""
        asked = [column for column in self.asked or self.columns if column != self.table.key]
        cells = (self.table.rows[row].cells[column] for row in self.rows for column in asked)
        return not asked or any(cell.strip() and fold(cell) not in NOTHING for cell in cells)


def parse_tables(text: str, title: str = "") -> tuple[Table, ...]:
    """Read the tables of a passage's ``text``, in order; a table without a row below its header is ignored.

    ``title`` is what the table is about as far as its surroundings say (the heading path); a line right above the
    header is added to it.
    """
    blocks: list[list[tuple[Span, str]]] = [[]]
    for match in re.finditer(r"[^\n]*(?:\n|$)", text):
        line = match.group().rstrip("\n")
        if not line.strip() or (blocks[-1] and not is_table_line(line) and len(line) > _MAX_GROUP_CHARACTERS):
            blocks.append([])
        elif not RULE.match(line):
            blocks[-1].append((Span(match.start(), match.start() + len(line.rstrip())), line))
    return tuple(table for block in blocks if (table := _table(block, title)) is not None)


def _table(lines: list[tuple[Span, str]], title: str) -> Table | None:
    first = next((index for index, (_, line) in enumerate(lines) if is_table_line(line)), len(lines))
    above = " ".join(line.strip() for _, line in lines[max(first - 1, 0) : first])
    cells = [split_cells(line) for _, line in lines[first:]]
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


def _rows(lines: list[tuple[Span, str]], header: tuple[str, ...]) -> Iterator[Row]:
    group = ""
    for span, line in lines:
        cells = split_cells(line)
        padded = cells + ("",) * (len(header) - len(cells))
        if len(cells) == 1 and len(header) > 1:
            group = cells[0]
        elif any(cells) and padded != header:
            yield Row(cells=padded, span=span, group=group)


def table_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; one without a header gets an empty one, and short rows are filled up."""
    width = max([len(header), *(len(row) for row in rows)])
    lines = [[*header, *[""] * (width - len(header))], ["---"] * width]
    lines += [[*row, *[""] * (width - len(row))] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def answer_markdown(answer: TableAnswer) -> str:
    """Write the header and the rows of an answer with unchanged cells; a count comes on a line before them."""
    table = answer.table
    shown = sorted({table.key, *answer.columns})
    if answer.operation == "compare":
        shown = list(dict.fromkeys([table.key, *answer.columns]))[:_MAX_COLUMNS]
    shown += [column for column, name in enumerate(table.header) if is_unit_header(name) and column not in shown]
    rows = [[table.rows[row].cells[column] for column in shown] for row in answer.rows]
    counted = f"{answer.count} of {len(table.rows)} rows:\n\n" if answer.count is not None else ""
    return counted + table_markdown([table.header[column] for column in shown], rows)
