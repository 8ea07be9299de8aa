"""Tables in a passage: reads their headers and rows with their positions in the text, and formats them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.text import Span
from tools.language import fold
from tools.tables.values import NOTHING

Operation = Literal["cell", "filter", "count", "extreme", "compare", "list"]
# A line without cells is the name of a group of rows only if it is not longer than this.
_MAX_GROUP_CHARACTERS = 60
_CELL_GAP = re.compile(r"(?:^|\s)\|(?=\s|$)")
_BARE_NUMBER = re.compile(r"[-+±≤≥<>~]?\s*\d[\d.,]*")
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


def is_unit_header(name: str) -> bool:
    """Return whether a column contains the units of the other columns."""
    return name.strip().casefold().rstrip(".") in {"unit", "units"}


def is_generic_header(name: str) -> bool:
    """Return whether a header names only the kind of a column ("Value", "Description") and not its content."""
    return name.strip().casefold() in _GENERIC_HEADERS


def split_cells(line: str) -> tuple[str, ...]:
    """Split a table line at each ``|``; outer bars, as in Markdown, do not make extra cells.

    If there is a bar only at the beginning, the first cell is empty, as in a header above the names of rows.
    """
    text = line.strip()
    if text.endswith("|"):
        text = text[1:-1] if text.startswith("|") else text[:-1]
    return tuple(cell.strip() for cell in _CELL_GAP.split(text))


def is_table_line(line: str) -> bool:
    """Return whether a line has at least two cells; a list item such as "- mode = on | off" has no cells."""
    return not _ITEM.match(line) and len(_CELL_GAP.split(line.strip().strip("|"))) >= 2


def is_body_row(first: tuple[str, ...], rows: list[tuple[str, ...]]) -> bool:
    """Return whether ``first`` is a row, not a header: its name ends with a colon, or it looks like all other rows."""
    if first[0].endswith(":"):
        return True
    shapes = [re.sub(r"\d+", "0", cell) for cell in first]
    for column in range(1, len(first)):
        cells = [row[column] for row in rows if column < len(row)]
        if "0" in shapes[column] and cells and all(re.sub(r"\d+", "0", cell) == shapes[column] for cell in cells):
            return not _BARE_NUMBER.fullmatch(first[column])
    return False


def key_column(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> int:
    """Choose the column that names the rows: the first one with mostly different cells that are not running numbers."""
    for column in range(min(3, len(header))):
        cells = [row[column] for row in rows if column < len(row) and row[column]]
        counting = [cell for cell in cells if re.fullmatch(r"\d{1,3}[.)]?", cell)]
        ordinal = header[column].strip().casefold() in {"#", "no", "no.", "nr", "nr.", "id", "item", "index", ""}
        if cells and not (len(counting) == len(cells) and ordinal) and len(set(cells)) * 2 > len(cells):
            return column
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: its cells (one per column), its ``span`` in the text, and the name of its group."""

    cells: tuple[str, ...]
    span: Span
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. ``header`` contains "" for columns without a name; the column ``key`` names the rows.

    ``header_span`` is the position of its first line in the text.
    """

    header: tuple[str, ...]
    header_span: Span
    rows: tuple[Row, ...]
    key: int = 0
    title: str = ""

    def reading(self, row: Row) -> str:
        """Format a row with its header: "Interface: NV-DDR3; VccQ: 1.2 V"; cells with only a dash are left out."""
        filled = [(name, cell) for name, cell in zip(self.header, row.cells, strict=True) if cell.strip("-–—")]
        named = [f"{name}: {cell}" if name and name != cell else cell for name, cell in filled]
        return ("; " if any(self.header) else " ").join(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """The part of ``table`` that answers a question: indexes of its rows and columns, in order.

    ``asked`` are the requested columns, without the columns by which the rows were found. ``match``, in [0, 1], is the
    weighted share of the question's words that the table accounts for: below about 0.5, the question asks for something
    else; from 0.75 on, it asks for this. ``count`` is set if a count was requested; "cell" is a look-up by name.
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
        """Whether any requested cell is filled; an empty cell is not an answer."""
        asked = [column for column in self.asked or self.columns if column != self.table.key]
        cells = (self.table.rows[row].cells[column] for row in self.rows for column in asked)
        return not asked or any(cell.strip() and fold(cell) not in NOTHING for cell in cells)


def parse_tables(text: str, title: str = "", *, headless: bool = False) -> tuple[Table, ...]:
    """Read the tables in a passage's ``text``, in order; a table without a row below its header is ignored.

    ``title`` is the subject of the table according to its context (the heading path); a line directly above the header
    is added to it. ``headless`` means that the first row is not a header.
    """
    blocks: list[list[tuple[Span, str]]] = [[]]
    for match in re.finditer(r"[^\n]*(?:\n|$)", text):
        line = match.group().rstrip("\n")
        if not line.strip() or (blocks[-1] and not is_table_line(line) and len(line) > _MAX_GROUP_CHARACTERS):
            blocks.append([])
        elif not RULE.match(line):
            blocks[-1].append((Span(match.start(), match.start() + len(line.rstrip())), line))
    return tuple(table for block in blocks if (table := _table(block, title, headless)) is not None)


def _table(lines: list[tuple[Span, str]], title: str, headless: bool) -> Table | None:
    first = next((index for index, (_, line) in enumerate(lines) if is_table_line(line)), len(lines))
    above = " ".join(line.strip() for _, line in lines[max(first - 1, 0) : first])
    cells = [split_cells(line) for _, line in lines[first:]]
    if len(cells) < 2 or len(cells[1:]) == sum(len(row) == 1 for row in cells[1:]):
        return None
    width = max(map(len, cells))
    header = cells[0]
    if headless or is_body_row(header, [row for row in cells[1:] if len(row) > 1]):
        header = ("",) * width
    header += ("",) * (width - len(header))
    rows = tuple(_rows(lines[first:], header))
    title = " ".join(filter(None, (title, above)))
    return Table(
        header=header,
        header_span=lines[first][0],
        rows=rows,
        key=key_column(header, [row.cells for row in rows]),
        title=title,
    )


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
    """Format a table; if there is no header, write an empty one; fill up short rows."""
    width = max([len(header), *(len(row) for row in rows)])
    lines = [[*header, *[""] * (width - len(header))], ["---"] * width]
    lines += [[*row, *[""] * (width - len(row))] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def answer_markdown(answer: TableAnswer) -> str:
    """Format the header and rows of an answer with unchanged cells; a count is on a line before them."""
    table = answer.table
    shown = sorted({table.key, *answer.columns})
    if answer.operation == "compare":
        shown = list(dict.fromkeys([table.key, *answer.columns]))[:_MAX_COLUMNS]
    shown += [column for column, name in enumerate(table.header) if is_unit_header(name) and column not in shown]
    rows = [[table.rows[row].cells[column] for column in shown] for row in answer.rows]
    counted = f"{answer.count} of {len(table.rows)} rows:\n\n" if answer.count is not None else ""
    return counted + table_markdown([table.header[column] for column in shown], rows)
