"""Tables of a page: their cells and header rows. Tables without rules are rows of short cells that line up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.marks import BULLETS, is_mark
from ingestion.layout.words import LayoutWord, Rectangle, Segment, append_line, extent, group_rows, join_words, union

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBERISH = re.compile(r"^[~<>≤≥±+\-–—]?\s*[\d.,]+\s*(?:%|[^\W\d]{1,4})?$|^[-–—]$")
# For tables without rules.
_LEAST_ROWS = 3
# Relative to the height of a row: how far apart the rows of a table without rules may be.
_MOST_GAP = 4.0
# Rows of areas with text side by side: headings, columns and the footer of a slide.
_MOST_AREAS = 3
_LONG_TEXT = 40
# A column with this many words per line on average contains sentences.
PROSE_WORDS = 4.5


@dataclass(frozen=True, slots=True)
class DraftTable:
    """A table as found: the words of each cell of each row. ``box`` is in the layout's coordinates.

    The first ``borrowed_rows`` rows are on the previous page: the header of a table that continues after a page break.
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
    """Make a table, without its empty rows and columns; None if fewer than two rows or columns contain words.

    If ``header_rows`` is None, the words of the first rows decide how many of them are the header.
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


def are_areas(rows: Sequence[Sequence[Sequence[LayoutWord]]]) -> bool:
    """Return whether the cells of a ruled grid are areas of a page, such as the bars and columns of a slide.

    Then at most one row has text side by side, or up to three rows have, and most words are in lists or, below a bar
    with a title, in long texts.
    """
    filled = [row for row in rows if any(row)]
    beside = [row for row in filled if sum(map(bool, row)) > 1]
    # A form without entries has column names.
    if len(beside) < 2:
        return not (len(filled) > 2 and all(filled[0]))
    cells = [cell for row in filled for cell in row]
    titled = sum(map(bool, filled[0])) == 1
    full = [len(cell) for cell in cells if (titled and len(cell) > _LONG_TEXT) or _items_in(group_rows(cell)) > 1]
    return len(beside) <= _MOST_AREAS and sum(full) > 0.5 * sum(map(len, cells))


def _items_in(lines: Sequence[Sequence[LayoutWord]]) -> int:
    return sum(line[0].text in BULLETS for line in lines if len(line) > 1)


def cell_text(words: Sequence[LayoutWord]) -> str:
    """Return a cell's words as one line."""
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
    """Return whether a table's second row is a header too: bold like the first, or naming parts of merged cells."""
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
    """Return whether all words of a table's row are bold."""
    words = [word for cell in row for word in cell]
    return bool(words) and all(word.bold for word in words)


def looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether a table's first row looks like column names: short words in every cell (but one), no values.

    A first row whose cells look like those below them (numbers above numbers, labels with colons, options, words with
    numbers in the second of two columns) is not a header.
    """
    filled = [cell.strip() for cell in first if cell.strip()]
    if len(filled) < max(2, len(first) - 1) or any(len(cell) > 80 for cell in filled):
        return False
    counts = [int(cell) for cell in first[1:] if _is_count(cell)]
    if len(counts) >= 2 and len(counts) == len(first) - 1 and all(b == a + 1 for a, b in pairwise(counts)):
        return any(not _is_count(cell) for row in rest for cell in row[1:])
    if len(first) > 2 and all(map(_DATE.fullmatch, first[1:])):
        return not any(_DATE.fullmatch(cell) for row in rest for cell in row[1:])
    if any(_NUMBERISH.match(cell) for cell in filled):
        return False
    for column, name in enumerate(first):
        below = [row[column] for row in rest if column < len(row) and row[column].strip()]
        if not below:
            continue
        coded = bool(_signs(name)) and sum(_signs(each) == _signs(name) for each in below) > 0.5 * len(below)
        labels = name.rstrip().endswith(":") and sum(cell.rstrip().endswith(":") for cell in below) > 0.5 * len(below)
        values = _has_digit(name) and sum(map(_has_digit, below)) == len(below) and _shape(name) == _shape(below[0])
        told = len(first) == 2 and column == 1 and _is_told_value(name)
        told = told and sum(map(_is_told_value, below)) > 0.5 * len(below)
        if coded or labels or values or told:
            return False
    return True


def _is_told_value(text: str) -> bool:
    """Return whether a cell has words and numbers: "extension 2210, channel 4"."""
    return _has_digit(text) and len(re.findall(r"[^\W\d_]{3,}", text)) > 0 and not _NUMBERISH.match(text.strip())


def _signs(text: str) -> str:
    """Return the symbols at the start of an option or a code: "%" in "%a", "--" in "--all"."""
    match = re.match(r"\s*([^\w\s]*)", text)
    return match.group(1) if match else ""


def _is_count(text: str) -> bool:
    # ``isdigit`` accepts a superscript 2, which is not a number.
    return text.strip().isdecimal() and len(text) < 10


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", text.strip())


def find_unruled(rows: Sequence[list[Segment]]) -> tuple[list[DraftTable], list[list[Segment]]]:
    """Find tables without rules among the rows of a page; return them and the other rows.

    A table is a run of rows whose segments are in the same columns, with short cells in all columns but one.
    """
    tables: list[DraftTable] = []
    rest: list[list[Segment]] = []
    index = 0
    while index < len(rows):
        end = max(_run_end(rows, index), index + 1)
        columns = merge_sides([sides_of(segment) for row in rows[index:end] for segment in row])
        if end - index >= _LEAST_ROWS and _are_columns_of_prose(rows[index:end], columns):
            rest += rows[index:end]
            index = end
            continue
        table = _table_of(rows[index:end], columns) if end - index >= _LEAST_ROWS else None
        if table is not None:
            tables.append(table)
        index = end if table is not None else index + 1
        if table is None:
            rest.append(rows[index - 1])
    return tables, rest


def _run_end(rows: Sequence[list[Segment]], start: int) -> int:
    """Return the end of the run of rows from ``start`` that share two or more columns with gaps between them."""
    if len(rows[start]) < 2:
        return start
    columns = [sides_of(segment) for segment in rows[start]]
    end = start + 1
    last_multiple = end
    usual: float | None = None
    while end < len(rows):
        gap, height = _top(rows[end]) - _bottom(rows[end - 1]), _height(rows[end])
        # Rows may be far apart if all of them are.
        steady = len(rows[end]) > 1 and gap <= _MOST_GAP * height and (usual is None or abs(gap - usual) < 0.3 * height)
        usual = gap
        if (gap > 1.8 * height and not steady) or abs(_size(rows[end]) - _size(rows[end - 1])) > 2.0:
            break
        merged = merge_sides([*columns, *map(sides_of, rows[end])])
        if len(merged) < len(columns):
            break
        columns = merged
        end += 1
        if len(rows[end - 1]) > 1:
            last_multiple = end
    return _with_last_wrap(rows, columns, last_multiple, end)


def _with_last_wrap(
    rows: Sequence[list[Segment]], columns: list[tuple[float, float]], last_multiple: int, end: int
) -> int:
    """Return the end of a table including the lines that continue a wrapped cell of its last row.

    Such a line is in a later column, or nearer to its row than the rows are to each other.
    """
    while last_multiple < end:
        gap = _top(rows[last_multiple]) - _bottom(rows[last_multiple - 1])
        usual = _top(rows[last_multiple - 1]) - _bottom(rows[last_multiple - 2]) if last_multiple > 1 else 0.0
        later = sides_of(rows[last_multiple][0])[0] >= columns[0][1]
        if not later and gap > usual - 0.3 * _height(rows[last_multiple]):
            break
        last_multiple += 1
    return last_multiple


def merge_sides(sides: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Merge overlapping horizontal extents, from left to right."""
    merged: list[tuple[float, float]] = []
    for x0, x1 in sorted(sides):
        if merged and x0 <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], x1))
        else:
            merged.append((x0, x1))
    return merged


def _are_columns_of_prose(rows: Sequence[list[Segment]], columns: list[tuple[float, float]]) -> bool:
    """Return whether two columns are prose, or one is a list and the first is prose or has items too."""
    cells = [[cell for row in rows if (cell := _words_within(row, column))] for column in columns]
    prose = [bool(column) and _is_prose(column, sides) for column, sides in zip(cells, columns, strict=True)]
    items = [_items_in(column) for column in cells]
    return sum(prose) > 1 or (bool(prose[0] or items[0]) and any(count > 1 for count in items[1:]))


def _table_of(rows: Sequence[list[Segment]], columns: list[tuple[float, float]]) -> DraftTable | None:
    cells = [[_words_within(row, column) for column in columns] for row in rows]
    first = [row[0] for row in cells if row[0]]
    words = [word for row in rows for segment in row for word in segment]
    if sum(word.mono for word in words) > 0.8 * len(words):
        # Code lines up, too.
        return None
    if len(columns) < 2 or all(is_mark(join_words(cell)) for cell in first):
        return None
    if sum(1 for row in cells if sum(map(bool, row)) >= 2) < _LEAST_ROWS:
        return None
    box = union(extent(segment) for row in rows for segment in row)
    return make_table(put_wrapped_lines_together(cells), box)


def _is_prose(cells: Sequence[Sequence[LayoutWord]], column: tuple[float, float]) -> bool:
    width = column[1] - column[0]
    full = sum(1 for cell in cells if cell[-1].x1 - cell[0].x0 > 0.75 * width)
    return sum(len(cell) for cell in cells) / len(cells) >= PROSE_WORDS and full >= 0.5 * len(cells)


def put_wrapped_lines_together(rows: list[list[list[LayoutWord]]]) -> list[list[list[LayoutWord]]]:
    """Join the lines of wrapped cells.

    If rows are clearly farther apart than the lines in them, the gaps decide; otherwise a line with an empty first
    cell continues the row above.
    """
    extents = [extent([word for cell in row for word in cell]) for row in rows]
    gaps = [after[1] - before[3] for before, after in pairwise(extents)]
    height = sorted(box[3] - box[1] for box in extents)[len(extents) // 2]
    apart = (min(gaps) + max(gaps)) / 2 if gaps and max(gaps) - min(gaps) > 0.35 * height else None
    unwrapped: list[list[list[LayoutWord]]] = []
    for index, row in enumerate(rows):
        near = apart is not None and index > 0 and gaps[index - 1] < apart
        wraps = near if apart is not None else not row[0] and sum(map(bool, row)) < len(row)
        if unwrapped and wraps:
            unwrapped[-1] = [above + cell for above, cell in zip(unwrapped[-1], row, strict=True)]
        else:
            unwrapped.append([list(cell) for cell in row])
    return unwrapped


def _words_within(row: list[Segment], column: tuple[float, float]) -> list[LayoutWord]:
    return [word for segment in row for word in segment if column[0] <= (word.x0 + word.x1) / 2 <= column[1]]


def sides_of(segment: Segment) -> tuple[float, float]:
    """Return the left and right edge of a segment of a row."""
    return (segment[0].x0, max(word.x1 for word in segment))


def _top(row: list[Segment]) -> float:
    return min(word.top for segment in row for word in segment)


def _bottom(row: list[Segment]) -> float:
    return max(word.bottom for segment in row for word in segment)


def _height(row: list[Segment]) -> float:
    return _bottom(row) - _top(row)


def _size(row: list[Segment]) -> float:
    return max(word.size for segment in row for word in segment)
