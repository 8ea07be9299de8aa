"""The rules of a page: grids without outer lines, and tables with horizontal rules only."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.tables import (
    PROSE_WORDS,
    DraftTable,
    make_table,
    merge_sides,
    put_wrapped_lines_together,
    sides_of,
)
from ingestion.layout.words import LayoutWord, Segment, group_rows, split_row

# The maximum distance between the ends or crossings of rules that meet; rules that separate two lines of text are at
# least the second distance apart.
_NEAR_PT = 3.0
_LINE_PT = 6.0
# Shorter rules are characters or fraction bars.
_LEAST_RULE_PT = 40.0
_MOSTLY = 0.8
_LEAST_ROWS = 3
# Relative to the font size: rules show that there is a table, so its columns may be closer together.
_COLUMN_GAP = 0.7
# Column names take few lines.
_MOST_HEADER_LINES = 4


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line from (``x0``, ``top``) to (``x1``, ``bottom``), horizontal or vertical."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def level(self) -> bool:
        """Whether it is horizontal."""
        return self.x1 - self.x0 >= self.bottom - self.top


def missing_borders(rules: Sequence[Rule]) -> list[Rule]:
    """Return the outer lines that grids of ``rules`` lack: where inner lines end side by side and meet no other."""
    found: list[Rule] = []
    for group in _touching(rules):
        level, upright = [rule for rule in group if rule.level], [rule for rule in group if not rule.level]
        if not level or not upright:
            continue
        left, right = min(rule.x0 for rule in level), max(rule.x1 for rule in level)
        top, bottom = min(rule.top for rule in upright), max(rule.bottom for rule in upright)
        if all(rule.top - top < _NEAR_PT for rule in upright) and min(rule.top for rule in level) - top > _LINE_PT:
            level.append(Rule(left, top, right, top))
        if (
            all(bottom - rule.bottom < _NEAR_PT for rule in upright)
            and bottom - max(rule.top for rule in level) > _LINE_PT
        ):
            level.append(Rule(left, bottom, right, bottom))
        found += level[len([rule for rule in group if rule.level]) :]
        if len(level) < 2:
            continue
        for x in (left, right):
            ending = [rule.top for rule in level if abs((rule.x0 if x == left else rule.x1) - x) < _NEAR_PT]
            if len(ending) > 1 and not any(abs(rule.x0 - x) < _NEAR_PT for rule in upright):
                found.append(Rule(x, min(ending), x, max(ending)))
    return found


def _touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Group the rules that touch each other, directly or through others."""
    groups: list[list[Rule]] = []
    for rule in rules:
        near = [group for group in groups if any(_touch(rule, other) for other in group)]
        groups = [group for group in groups if not any(group is each for each in near)]
        groups.append([rule, *(each for group in near for each in group)])
    return groups


def _touch(one: Rule, other: Rule) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > -_NEAR_PT and min(one.bottom, other.bottom) - max(one.top, other.top) > -_NEAR_PT


def tables_between_rules(rules: Sequence[Rule], words: Sequence[LayoutWord]) -> list[DraftTable]:
    """Find the tables with horizontal rules only: across all columns, above and below the header and at the end.

    There are at least three rules with the same width and horizontal position, with words in columns between each pair.
    """
    alone = [group[0] for group in _touching(rules) if all(rule.level for rule in group)]
    across = sorted((rule for rule in alone if rule.x1 - rule.x0 >= _LEAST_RULE_PT), key=lambda rule: rule.top)
    tables: list[DraftTable] = []
    while across:
        first = across[0]
        alike = [rule for rule in across if max(abs(rule.x0 - first.x0), abs(rule.x1 - first.x1)) < _NEAR_PT]
        across = [rule for rule in across if rule not in alike]
        run: list[_Band] = []
        for above, below in pairwise(alike):
            band = _Band(above, below, _rows_between(above, below, words))
            if not band.in_columns:
                tables += _tables_of(run)
                run = []
            else:
                run.append(band)
        tables += _tables_of(run)
    return tables


def rows_between_rules(cells: Sequence[Sequence[LayoutWord]]) -> list[list[Segment]]:
    """Split the cells between two rules into rows if three or more lines are side by side in all columns."""
    column_of = {id(word): column for column, cell in enumerate(cells) for word in cell}
    lines: list[list[Segment]] = []
    for line in group_rows([word for cell in cells for word in cell]):
        lines.append([[word for word in line if column_of[id(word)] == column] for column in range(len(cells))])
    full = sum(all(line) for line in lines)
    prose = sum(len(cell) >= PROSE_WORDS * len(lines) for cell in cells)
    if full < _LEAST_ROWS or full < _MOSTLY * len(lines) or len(cells) < 2 or prose > 1:
        return [[list(cell) for cell in cells]]
    return put_wrapped_lines_together(lines)


@dataclass(frozen=True, slots=True)
class _Band:
    """The rows of segments between two rules."""

    above: Rule
    below: Rule
    rows: list[list[Segment]]

    @property
    def in_columns(self) -> bool:
        """Whether it begins with words in columns; a header may begin with the upper half of one column's name."""
        first = self.rows[:1] if len(self.rows) > _MOST_HEADER_LINES else self.rows
        return any(len(row) > 1 for row in first)


def _rows_between(above: Rule, below: Rule, words: Sequence[LayoutWord]) -> list[list[Segment]]:
    inside = [
        word
        for word in words
        if above.top < (word.top + word.bottom) / 2 < below.top
        and above.x0 - _NEAR_PT < (word.x0 + word.x1) / 2 < above.x1 + _NEAR_PT
    ]
    return [split_row(row, _COLUMN_GAP) for row in group_rows(inside)]


def _tables_of(bands: Sequence[_Band]) -> list[DraftTable]:
    """Make a table from consecutive bands, the first of which contains the header; [] if they are not a table."""
    words = [word for band in bands for row in band.rows for segment in row for word in segment]
    if len(bands) < 2 or sum(word.mono for word in words) > _MOSTLY * len(words):
        return []
    body = [row for band in bands[1:] for row in band.rows]
    columns = merge_sides([sides_of(segment) for row in body if len(row) > 1 for segment in row])
    names = [sides_of(segment) for row in bands[0].rows for segment in row]
    columns = merge_sides([*columns, *(side for side in names if len(_columns_at(side, columns)) < 2)])
    if len(columns) < 2:
        return []
    cells = [[_cells_of(row, columns, header=band is bands[0]) for row in band.rows] for band in bands]
    # If most bands have at most one line that fills their columns, each band is a row, even if it has many lines.
    full = [sum(1 for line in lines if line[0] and sum(map(bool, line)) > 1) for lines in cells[1:]]
    row_by_row = len(full) > 1 and sum(count > 1 for count in full) < 0.5 * len(full)
    named = len(bands[0].rows) <= _MOST_HEADER_LINES
    rows = [_put_together(cells[0])] if named else list(cells[0])
    for lines in cells[1:]:
        rows += [_put_together(lines)] if row_by_row else put_wrapped_lines_together(lines)
    box = (bands[0].above.x0, bands[0].above.top, bands[0].above.x1, bands[-1].below.top)
    table = make_table(rows, box, ruled=True, header_rows=1 if named and not row_by_row else None)
    return [table] if table is not None else []


def _columns_at(sides: tuple[float, float], columns: Sequence[tuple[float, float]]) -> list[int]:
    return [index for index, (x0, x1) in enumerate(columns) if sides[0] < x1 and x0 < sides[1]]


def _cells_of(row: Sequence[Segment], columns: Sequence[tuple[float, float]], *, header: bool) -> list[Segment]:
    """Put the segments of a line into columns: a name that spans several goes into each, other text into one."""
    cells: list[Segment] = [[] for _ in columns]
    for segment in row:
        over = _columns_at(sides_of(segment), columns) or [
            min(range(len(columns)), key=lambda index: abs(columns[index][0] - segment[0].x0))
        ]
        for index in over if header else over[:1]:
            cells[index] += segment
    return cells


def _put_together(lines: Sequence[Sequence[Segment]]) -> list[Segment]:
    return [[word for cell in column for word in cell] for column in zip(*lines, strict=True)]
