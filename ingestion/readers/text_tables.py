"""Tables in plain text: drawn with bars, or aligned in columns."""

import re
from collections.abc import Iterator
from itertools import groupby, zip_longest

from contracts.text import Block
from ingestion.readers.grid import grid_block

_MOST_COLUMN_CHARACTERS = 1_000
WIDE_GAP = re.compile(r"\s*[\t|]\s*|\s{2,}")
# Tables drawn with characters such as "+---+" above "| a |", or with groff's lines.
_RULE = re.compile(r"\s*(?:[-+|=]{3,}|[┌├└╞╘╒][─═┬┼┴╪╧╤┐┤┘╡╛╕]+)$")
_BARRED = re.compile(r"\s*(?:\|\s.*\||│.*│)$")


def split_at_tables(lines: list[str]) -> Iterator[list[str]]:
    """Separate a drawn table from the lines above and below it."""
    parts = [list(part) for _, part in groupby(lines, lambda line: bool(_BARRED.match(line) or _RULE.match(line)))]
    return iter(parts if any(map(is_drawn, parts)) else [lines])


def is_drawn(lines: list[str]) -> bool:
    """Return whether ``lines`` are a table drawn with bars: at least two rows, all with the same number of cells."""
    rows = [line for line in lines if not _RULE.match(line)]
    return len(rows) > 1 and all(map(_BARRED.match, rows)) and len({len(_cells(row)) for row in rows}) == 1


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split("[|│]", row.strip()[1:-1])]


def drawn_table(lines: list[str], page: int) -> Block | None:
    """Read a table drawn with bars; its rows may take several lines if rules separate them."""
    parts = [
        [_cells(line) for line in part if any(_cells(line))]
        for is_rule, part in groupby(lines, lambda line: bool(_RULE.match(line)))
        if not is_rule
    ]
    further = [row for part in parts for row in part[1:]]
    if all("" in row for row in further) and (len(parts) > 2 or not any(row[0] for row in further)):
        parts = [[[" ".join(filter(None, cells)) for cells in zip_longest(*part)]] for part in parts]
    rows = [row for part in parts for row in part]
    return grid_block(rows, page, header_rows=1 if len(parts) == 2 and len(parts[0]) == 1 else None)


def aligned_table(lines: list[str], page: int) -> Block | None:
    """Read three or more lines with the same number of columns as a table; None for other lines."""
    if max(map(len, lines)) > _MOST_COLUMN_CHARACTERS:
        return None
    rows = [WIDE_GAP.split(line.strip().strip("|").strip()) for line in lines if not re.fullmatch(r"[\s|+:=-]+", line)]
    # Two spaces may follow a sentence.
    are_sentences = all(len(row[0].split()) > 2 and row[0][-1] in ".!?" for row in rows)
    widths = {len(row) for row in rows if not are_sentences}
    if len(rows) < 3 or len(widths) != 1 or widths == {1} or any(len(cell) > 80 for row in rows for cell in row):
        return None
    return grid_block(rows, page)
