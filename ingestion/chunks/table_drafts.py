"""Passages of a table: its rows below their header, with everything needed to understand one cell."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from contracts.text import Block, BlockKind
from ingestion.chunks.grids import Grid, Row, read_grid
from ingestion.chunks.outline import Subsection
from ingestion.chunks.pieces import (
    NOTE_SEAM,
    CountTokens,
    Draft,
    Piece,
    TextUnit,
    cut,
    join,
    pack,
    piece_of,
    within,
)
from tools.language import split_sentences

# If a header would fill more than this share of each passage, only the first passage has it, or columns are split.
_HEADER_SHARE = 0.5
# Notes that take more than this share of a passage become separate text after the table.
_NOTES_SHARE = 0.25
_KEYS_SHARE = 0.25
_COLUMNS_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class _Line:
    """A row, or a part of it, as one line below ``header``."""

    header: Piece | None
    under: Piece | None
    piece: Piece
    tokens: int


@dataclass(frozen=True, slots=True)
class _Columns:
    """Some of a table's columns, and those that name its rows; only the ``first`` part shows rows without values."""

    keys: tuple[int, ...]
    own: tuple[int, ...]
    first: bool

    @property
    def all(self) -> tuple[int, ...]:
        """The columns in their order, those that name rows first."""
        return (*self.keys, *self.own)

    def shows(self, row: Row) -> bool:
        """Return whether the part has a value of ``row``, or ``row`` has no values and this is the first part."""
        if any(row.cells[column].text for column in self.own):
            return True
        values = (cell.text for column, cell in enumerate(row.cells) if column not in self.keys)
        return self.first and not any(values)


def draft_table(
    parts: Sequence[Block],
    notes: Sequence[tuple[str, Block]],
    subsection: Subsection,
    path: tuple[str, ...],
    budget: int,
    count: CountTokens,
) -> list[Draft]:
    """Cut a table, whose ``parts`` are on consecutive pages, between its rows.

    Two columns without names are written as a list of names with their values.

    Each passage repeats the header, the name of the group that its first row belongs to, and the ``notes`` (each with
    the mark that refers to it, "" for all rows) that its rows need. A table that is too wide for a passage is split
    into groups of columns, each including those that name the rows; a row that is too long is split, too.
    """
    grid = read_grid(parts)
    below = [(mark, piece_of(note)) for mark, note in notes]
    room = budget - sum(count(piece.text) + 2 for _, piece in below)
    lines = [line for columns in _parted(grid, room, count) for line in _lines(grid, columns, room, count)]
    if grid.title is not None:
        tokens = count(grid.title.text) + 1
        title = [_Line(None, None, piece, tokens) for piece in within(grid.title, room, count)]
        lines = [*title, *lines]
    drafts = [
        _draft(group, subsection, path, "list" if grid.lists_names else "table" if group[0].header else "rows")
        for group in _groups(lines, room, count)
    ]
    return _with_notes(drafts, below)


def may_repeat(notes: Sequence[tuple[str, Block]], budget: int, count: CountTokens) -> bool:
    """Return whether ``notes`` are short enough to be repeated in each passage of their table."""
    return sum(count(note.text) + 2 for _, note in notes) <= _NOTES_SHARE * budget


def _groups(lines: Sequence[_Line], room: int, count: CountTokens) -> Iterator[list[_Line]]:
    for _, same in groupby(lines, key=lambda line: id(line.header)):
        block = list(same)
        header = block[0].header
        left = room - (count(header.text) + 1 if header is not None else 0)
        under = {line.under.text: line.under for line in block if line.under is not None}
        left -= max((count(piece.text) + 1 for piece in under.values()), default=0)
        units = [TextUnit(line.piece, line.tokens, "\n", "table") for line in block]
        total = sum(unit.tokens for unit in units)
        # Equal parts are better than full ones and a small remainder.
        target = math.ceil(total / math.ceil(total / max(left, 1)) * 1.1)
        start = 0
        for group in pack(units, min(target, left), left):
            yield block[start : start + len(group)]
            start += len(group)


def _draft(group: Sequence[_Line], subsection: Subsection, path: tuple[str, ...], kind: BlockKind) -> Draft:
    fresh = join([line.piece for line in group], ["\n"] * len(group))
    above = [piece for piece in (group[0].header, group[0].under) if piece is not None]
    repeated = join(above, ["\n"] * len(above)) if len(above) > 1 else above[0] if above else None
    return Draft(subsection, path, kind, fresh, repeated)


def _with_notes(drafts: list[Draft], notes: Sequence[tuple[str, Piece]]) -> list[Draft]:
    """Put notes below the rows that they belong to; in the last passage with a note, the note is part of ``fresh``."""
    if not notes:
        return drafts
    # A note without a mark belongs to all rows.
    wanted = [[piece for mark, piece in notes if not mark or mark in draft.fresh.text] for draft in drafts]
    left = [piece for _, piece in notes if not any(piece in each for each in wanted)]
    wanted[-1] = [piece for _, piece in notes if piece in wanted[-1] or piece in left]
    done: list[Draft] = []
    for number, (draft, pieces) in enumerate(zip(drafts, wanted, strict=True)):
        last_time = [piece for piece in pieces if not any(piece in later for later in wanted[number + 1 :])]
        again = [piece for piece in pieces if piece not in last_time]
        fresh = draft.fresh
        if last_time:
            fresh = join([fresh, *last_time], ["", NOTE_SEAM, *(["\n"] * (len(last_time) - 1))])
        done.append(replace(draft, fresh=fresh, trailing=join(again, ["\n"] * len(again)) if again else None))
    return done


def _parted(grid: Grid, room: int, count: CountTokens) -> list[_Columns]:
    """Split the columns if header and row do not fit into a passage; each part has the columns that name the rows."""
    whole = [_Columns((), tuple(range(grid.width)), True)]
    if grid.header is None or grid.width < 3:
        return whole
    header = count(grid.header.line().text) + 1
    rows = sorted(count(row.line().text) + 1 for row in grid.rows)
    # A few rows that are longer than the others are cut separately.
    usual = rows[(len(rows) - 1) // 2]
    if header <= _HEADER_SHARE * room and header + usual <= room:
        return whole
    names = [count(cell.text) + 1 for cell in grid.header.cells]
    cells = [_usual_cost(grid, column, count) for column in range(grid.width)]
    keys = grid.keys()
    if sum(names[key] + cells[key] for key in keys) > _KEYS_SHARE * room:
        keys = ()
    parts: list[list[int]] = [[]]
    for column in (column for column in range(grid.width) if column not in keys):
        shown = [*keys, *parts[-1], column]
        above, below = sum(names[each] for each in shown), sum(cells[each] for each in shown)
        if parts[-1] and (above > _HEADER_SHARE * room or above + below > _COLUMNS_SHARE * room):
            parts.append([])
        parts[-1].append(column)
    return [_Columns(keys, tuple(part), number == 0) for number, part in enumerate(parts)]


def _usual_cost(grid: Grid, column: int, count: CountTokens) -> int:
    """Return the tokens of a typical long cell of a column, including the bar before it."""
    return count(sorted((row.cells[column].text for row in grid.rows), key=len)[len(grid.rows) * 9 // 10]) + 1


def _lines(grid: Grid, part: _Columns, room: int, count: CountTokens) -> Iterator[_Line]:
    header = grid.header.line(part.all) if grid.header is not None else None
    cost = count(header.text) + 1 if header is not None else 0
    if header is not None and cost > _HEADER_SHARE * room:
        yield from (_Line(None, None, piece, count(piece.text) + 1) for piece in within(header, room, count))
        header, cost = None, 0
    for row in grid.rows:
        piece = row.item() if grid.lists_names else row.line(part.all)
        if not piece.text or not part.shows(row):
            continue
        tokens = count(piece.text) + 1
        under = row.under if row.under is not None and count(row.under.text) <= _KEYS_SHARE * room else None
        if cost + tokens + (count(under.text) + 1 if under is not None else 0) <= room:
            yield _Line(header, under, piece, tokens)
        else:
            yield from _cut_row(row, grid, part.all, room, count)


def _cut_row(row: Row, grid: Grid, columns: tuple[int, ...], room: int, count: CountTokens) -> Iterator[_Line]:
    """Take the longest cells out of a row until the rest fits; cut them at their sentences if they are too long.

    Each part repeats the names of its columns and the first cell of the row.
    """
    key = columns[0] if len(columns) > 1 and count(row.cells[columns[0]].text) <= _KEYS_SHARE * room else None
    rest = [column for column in columns if column != key]
    alone: list[int] = []
    while any(row.cells[column].text for column in rest):
        shown = tuple(rest) if key is None else (key, *rest)
        header, piece = _names(grid, shown), row.line(shown)
        tokens = count(piece.text) + 1
        if tokens + (count(header.text) + 1 if header is not None else 0) <= room:
            yield _Line(header, None, piece, tokens)
            break
        longest = max(rest, key=lambda column: len(row.cells[column].text))
        rest.remove(longest)
        alone.append(longest)
    for column in sorted(alone):
        yield from _cut_cell(row, grid, key, column, room, count)


def _names(grid: Grid, columns: tuple[int, ...]) -> Piece | None:
    names = grid.header.line(columns) if grid.header is not None else None
    return names if names is not None and names.text else None


def _cut_cell(row: Row, grid: Grid, key: int | None, column: int, room: int, count: CountTokens) -> Iterator[_Line]:
    names = _names(grid, (column,) if key is None else (key, column))
    cost = count(names.text) + 1 if names is not None else 0
    if names is not None and cost > _HEADER_SHARE * room:
        for piece in within(names, room, count):
            yield _Line(None, None, piece, count(piece.text) + 1)
        names, cost = None, 0
    name = row.cells[key] if key is not None and row.cells[key].text else None
    left = room - cost - (count(name.text) + 2 if name is not None else 0)
    cell = row.cells[column]
    sentences = [
        TextUnit(small, count(small.text) + 1, " ", "table")
        for span in split_sentences(cell.text)
        for small in within(cut(cell, span.start, span.end), left, count)
    ]
    for group in pack(sentences, left, left):
        part = join([unit.piece for unit in group], [unit.separator for unit in group])
        line = join([name, part], ["", " | "]) if name is not None else part
        yield _Line(names, None, line, count(line.text) + 1)
