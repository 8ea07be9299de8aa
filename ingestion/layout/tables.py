"""Tables as found on a page: their cells, their header rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.words import LayoutWord, Rectangle, append_line, group_rows, join_words

_NUMBERISH = re.compile(r"^[~<>≤≥±+\-–—]?\s*[\d.,]+\s*(?:%|[^\W\d]{1,4})?$|^[-–—]$")


@dataclass(frozen=True, slots=True)
class DraftTable:
    """A table as found: the words of each cell of each row. ``box`` is in the layout's coordinates.

    The first ``borrowed_rows`` rows stand on the page before: the header of a table that goes on over a page break.
    """

    rows: tuple[tuple[tuple[LayoutWord, ...], ...], ...]
    box: Rectangle
    header_rows: int = 0
    ruled: bool = False
    borrowed_rows: int = 0


def make_table(
    rows: Sequence[Sequence[Sequence[LayoutWord]]],
    box: Rectangle,
    *,
    ruled: bool = False,
    header_rows: int | None = None,
) -> DraftTable | None:
    """Make a table, without its empty rows and columns; None where less than two rows or columns hold words.

    How many rows are its header is judged by their words where ``header_rows`` does not say it.
    """
    filled = [[tuple(cell) for cell in row] for row in rows if any(row)]
    if not filled:
        return None
    columns = [column for column in range(len(filled[0])) if any(row[column] for row in filled)]
    if len(filled) < 2 or len(columns) < 2:
        return None
    cells = tuple(tuple(row[column] for column in columns) for row in filled)
    count = _count_header_rows(cells) if header_rows is None else header_rows
    return DraftTable(rows=cells, box=box, header_rows=count, ruled=ruled)


def cell_text(words: Sequence[LayoutWord]) -> str:
    """Write a cell's words on one line."""
    text = ""
    for row in group_rows(words):
        text = append_line(text, join_words(row))
    return text.replace("|", "¦")


def words_in_order(row: Sequence[Sequence[LayoutWord]]) -> list[LayoutWord]:
    """Return the words of a table's row as ``cell_text`` writes them, cell by cell."""
    return [word for cell in row for line in group_rows(cell) for word in line]


def _count_header_rows(rows: Sequence[Sequence[Sequence[LayoutWord]]]) -> int:
    texts = [[cell_text(cell) for cell in row] for row in rows[:4]]
    bold = [is_bold(row) for row in rows]
    if not looks_like_header(texts[0], texts[1:]) and not (bold[0] and not all(bold)):
        return 0
    return 2 if len(rows) > 2 and _is_second_header(texts, bold, rows) else 1


def _is_second_header(texts: list[list[str]], bold: list[bool], rows: Sequence[Sequence[Sequence[LayoutWord]]]) -> bool:
    """Say whether a table's second row heads it too: bold like the first one, or naming the parts of merged cells."""
    if any(_NUMBERISH.match(text) for text in texts[1]):
        return False
    if len(rows) > 3 and bold[0] and bold[1] and not bold[2]:
        return True
    spans = [
        column for column in range(1, len(texts[0])) if texts[0][column] and texts[0][column] == texts[0][column - 1]
    ]
    merged = [column for each in spans for column in (each - 1, each)]
    names = [texts[1][column] for column in merged]
    return bool(merged) and all(names) and len(set(names)) > 1 and bold[0] >= bold[1]


def is_bold(row: Sequence[Sequence[LayoutWord]]) -> bool:
    """Say whether all words of a table's row are bold."""
    words = [word for cell in row for word in cell]
    return bool(words) and all(word.bold for word in words)


def looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Say whether a table's first row reads as names of columns: short words in every cell (but one), no values.

    A first row whose cells look like those below them (numbers above numbers, labels with colons) is no header.
    """
    filled = [cell.strip() for cell in first if cell.strip()]
    if len(filled) < max(2, len(first) - 1) or any(len(cell) > 80 for cell in filled):
        return False
    counts = [int(cell) for cell in first[1:] if _is_count(cell)]
    if len(counts) >= 2 and len(counts) == len(first) - 1 and all(b == a + 1 for a, b in pairwise(counts)):
        return any(not _is_count(cell) for row in rest for cell in row[1:])
    if any(_NUMBERISH.match(cell) for cell in filled):
        return False
    for column, name in enumerate(first):
        below = [row[column] for row in rest if column < len(row) and row[column].strip()]
        if not below:
            continue
        labels = name.rstrip().endswith(":") and sum(cell.rstrip().endswith(":") for cell in below) > 0.5 * len(below)
        values = _has_digit(name) and sum(map(_has_digit, below)) == len(below) and _shape(name) == _shape(below[0])
        if labels or values:
            return False
    return True


def _is_count(text: str) -> bool:
    # A raised 2 is a digit and no number.
    return text.strip().isdecimal() and len(text) < 10


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", text.strip())
