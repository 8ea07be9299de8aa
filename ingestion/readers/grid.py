"""Tables of formats with explicit cells: written as text, with their header rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.text import Block
from ingestion.layout.tables import looks_like_header

MAX_REPEATED_CHARACTERS = 60
_MAX_SPANNED = 1_000_000
_MOST_ROWS_ABOVE = 12


@dataclass(frozen=True, slots=True)
class SpanningCell:
    """A cell that is ``across`` columns wide and ``down`` rows high; ``names_all``: it is a header."""

    text: str
    across: int = 1
    down: int = 1
    names_all: bool = False


def spread_cells(rows: Sequence[Sequence[SpanningCell]]) -> list[list[str]]:
    """Return rows of texts, with as many columns as the cells span.

    A name that spans several columns or rows is repeated in each of them; a long text stays where it begins. Columns in
    which no cell begins are left out; once they span ``_MAX_SPANNED`` in total, each further cell spans one.
    """
    grid: list[list[str]] = []
    begun: set[int] = set()
    left_to_span = _MAX_SPANNED
    held: dict[int, tuple[int, str]] = {}
    for cells in rows:
        line: list[str] = []
        for cell in (*cells, None):
            while len(line) in held or (cell is None and any(column > len(line) for column in held)):
                left, text = held.pop(len(line), (0, ""))
                if left > 1:
                    held[len(line)] = (left - 1, text)
                line.append(text)
            if cell is None:
                break
            begun.add(len(line))
            across = min(cell.across, max(left_to_span, 1))
            left_to_span -= across
            repeated = cell.text if len(cell.text) <= MAX_REPEATED_CHARACTERS else ""
            for column in range(across):
                shown = cell.text if column == 0 else (repeated if cell.names_all else "")
                if cell.down > 1:
                    held[len(line)] = (cell.down - 1, repeated if shown else "")
                line.append(shown)
        grid.append(line)
    return [[text for column, text in enumerate(line) if column in begun] for line in grid]


def one_line(text: str) -> str:
    """Return a cell's text on one line, without the character that separates cells."""
    return " ".join(text.split()).replace("|", "¦")


def take_rows_above_header(rows: list[list[str]], page: int = 1) -> list[Block]:
    """Remove rows such as "Department: | Logistics", then titles, from the top of a table, above its header."""
    counts = [sum(1 for text in row if text.strip()) for row in rows]
    widest = max(counts, default=0)
    wide = (number for number, count in enumerate(counts[:_MOST_ROWS_ABOVE]) if count == widest)
    number = next((each for each in wide if looks_like_header(rows[each], rows[each + 1 :])), 0)
    above = [[one_line(text) for text in row if text.strip()] for row in rows[:number]]
    pairs = [row for row in above if len(row) > 1]
    unlabelled = [row for row in pairs if not row[0].endswith(":")]
    # The names of groups of columns are also above the header.
    if widest < 3 or number == len(rows) - 1 or len(unlabelled) == 1 or any(len(row) > 2 for row in unlabelled):
        return []
    del rows[:number]
    items = "\n".join(f"- {name.removesuffix(':')}: {' '.join(values)}" for name, *values in pairs)
    titles = [Block(kind="caption", text=row[0], page=page) for row in above if len(row) == 1]
    return [*([Block(kind="list", text=items, page=page)] if items else []), *titles]


def grid_block(rows: Sequence[Sequence[str]], page: int = 1, *, header_rows: int | None = None) -> Block | None:
    """Write rows of cells as a table's block; None if no cell contains text.

    A grid of one column becomes a paragraph. If ``header_rows`` is None, the first row decides whether it is a header.
    """
    cleaned = [[one_line(cell) for cell in row] for row in rows]
    width = max((len(row) for row in cleaned), default=0)
    padded = [row + [""] * (width - len(row)) for row in cleaned if any(row)]
    columns = [column for column in range(width) if any(row[column] for row in padded)]
    kept = [[row[column] for column in columns] for row in padded]
    if not kept:
        return None
    if len(columns) == 1:
        return Block(kind="paragraph", text="\n".join(row[0] for row in kept), page=page)
    if header_rows is None:
        header_rows = 1 if len(kept) > 1 and looks_like_header(kept[0], kept[1:]) else 0
    text = "\n".join(" | ".join(row) for row in kept)
    return Block(kind="table", text=text, page=page, header_rows=min(header_rows, len(kept) - 1))
