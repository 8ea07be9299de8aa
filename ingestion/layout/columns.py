"""Reading order: which lines of a page belong to one column."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.tables import DraftTable
from ingestion.layout.words import LayoutWord, Rectangle, TextLine, extent, group_rows, make_line

# A gutter counts when text stands on both sides of it in at least this many rows.
_LEAST_ROWS = 4
_LEAST_GUTTER_PT = 4.0
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row, or a whole table: what the reading order moves around."""

    content: list[LayoutWord] | DraftTable
    box: Rectangle


def read_in_order(segments: Sequence[list[LayoutWord]], tables: Sequence[DraftTable]) -> list[TextLine | DraftTable]:
    """Bring segments of rows and tables into reading order, and make lines of the segments.

    Where a gutter parts the page, what crosses it (titles, wide tables) bounds bands, and in each band the left column
    is read before the right one.
    """
    pieces = [Piece(segment, extent(segment)) for segment in segments]
    pieces += [Piece(table, table.box) for table in tables]
    return _order(sorted(pieces, key=lambda piece: (piece.box[1], piece.box[0])), 0)


def _order(pieces: list[Piece], depth: int) -> list[TextLine | DraftTable]:
    gutter = _find_gutter(pieces) if depth < _MAX_DEPTH else None
    if gutter is None:
        return _as_lines(pieces)
    ordered: list[TextLine | DraftTable] = []
    band: list[Piece] = []
    for piece in pieces:
        if piece.box[0] < gutter < piece.box[2]:
            ordered += _order_band(band, gutter, depth)
            band = []
            ordered += _as_lines([piece])
        else:
            band.append(piece)
    return ordered + _order_band(band, gutter, depth)


def _order_band(band: list[Piece], gutter: float, depth: int) -> list[TextLine | DraftTable]:
    left = [piece for piece in band if piece.box[2] <= gutter]
    right = [piece for piece in band if piece.box[0] >= gutter]
    return [each for side in (left, right) if side for each in _order(side, depth + 1)]


def _find_gutter(pieces: Sequence[Piece]) -> float | None:
    """Find the x where the most rows have text on both sides and a gap; None where too few do."""
    rows = _rows_of(pieces)
    gaps: list[tuple[float, float]] = []
    for row in rows:
        for before, after in pairwise(row):
            if after.box[0] - before.box[2] >= _LEAST_GUTTER_PT:
                gaps.append((before.box[2], after.box[0]))
    best, best_count = None, _LEAST_ROWS - 1
    for x0, x1 in gaps:
        for x in ((x0 + x1) / 2, x1 - 1.0):
            count = sum(1 for low, high in gaps if low < x < high)
            crossing = sum(1 for piece in pieces if piece.box[0] < x < piece.box[2])
            if count > best_count and crossing <= count:
                best, best_count = x, count
    return best


def _rows_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for piece in pieces:
        last = rows[-1][0].box if rows else None
        middle = (piece.box[1] + piece.box[3]) / 2
        if last is not None and isinstance(piece.content, list) and last[1] <= middle <= last[3]:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.box[0]) for row in rows]


def _as_lines(pieces: Sequence[Piece]) -> list[TextLine | DraftTable]:
    if not pieces:
        return []
    column = (min(piece.box[0] for piece in pieces), max(piece.box[2] for piece in pieces))
    words = [word for piece in pieces if isinstance(piece.content, list) for word in piece.content]
    lines: list[TextLine | DraftTable] = [make_line(row, column) for row in group_rows(words)]
    tables = [piece.content for piece in pieces if isinstance(piece.content, DraftTable)]
    return sorted([*lines, *tables], key=_top)


def _top(item: TextLine | DraftTable) -> float:
    return item.box[1] if isinstance(item, DraftTable) else item.top
