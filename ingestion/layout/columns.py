"""Reading order: which lines of a page belong to one column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.lines import TextLine, make_line
from ingestion.layout.tables import DraftTable
from ingestion.layout.words import LayoutWord, Rectangle, extent, group_rows

# A gutter counts if at least this many consecutive rows have text on both sides of it; two are enough if the same
# gutter divides another band of the page.
_LEAST_ROWS = 4
_LEAST_KNOWN_ROWS = 2
_SAME_GUTTER_PT = 8.0
_LEAST_GUTTER_PT = 4.0
# A margin note is next to at least this many full lines of prose.
_LEAST_PROSE_ROWS = 6
_PROSE_WORDS = 5
_MAX_DEPTH = 12

Item = TextLine | DraftTable


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row, or a whole table: the unit that the reading order moves."""

    content: list[LayoutWord] | DraftTable
    box: Rectangle


@dataclass(frozen=True, slots=True)
class _Band:
    """The pieces ``start`` to ``end``, none across ``gutter``; ``rows`` counts the rows with text on both sides."""

    gutter: float
    start: int
    end: int
    rows: int


def read_in_order(segments: Sequence[list[LayoutWord]], tables: Sequence[DraftTable]) -> list[Item]:
    """Put segments of rows, and whole tables, into reading order, and make lines from the segments.

    If a gutter divides a band of the page, its left column is read before the right one; the text above the band (a
    title, a paragraph across the whole width) is read before it, the text below (a footnote) after it.
    """
    pieces = [Piece(segment, extent(segment)) for segment in segments]
    pieces += [Piece(table, table.box) for table in tables]
    return _order(sorted(pieces, key=lambda piece: (piece.box[1], piece.box[0])), (), 0)


def _order(pieces: list[Piece], known: tuple[float, ...], depth: int) -> list[Item]:
    band = _find_band(pieces, known) if depth < _MAX_DEPTH else None
    if band is None:
        return _as_lines(pieces)
    gutter = band.gutter
    start, end = _trim(pieces, band)
    left = [piece for piece in pieces[start:end] if piece.box[2] <= gutter]
    right = [piece for piece in pieces[start:end] if piece.box[0] >= gutter]
    known = (*known, gutter)
    parts = (pieces[:start], left, right, pieces[end:])
    return [each for part in parts if part for each in _order(part, known, depth + 1)]


def _find_band(pieces: Sequence[Piece], known: Sequence[float]) -> _Band | None:
    """Find the gutter with the most rows that have text on both sides, and the band that it divides."""
    best: _Band | None = None
    gaps = _gaps(pieces)
    for gutter in sorted({x for x0, x1 in gaps for x in (round((x0 + x1) / 2), round(x1 - 1.0))}):
        least = _LEAST_KNOWN_ROWS if any(abs(gutter - x) < _SAME_GUTTER_PT for x in known) else _LEAST_ROWS
        for start, end in _runs(pieces, gutter):
            if _is_code(pieces[start:end]):
                continue
            # Count the rows on the side that has fewer.
            beside = _beside(pieces[start:end], gutter)
            both = min(sum(_rows_in(pieces[start + place]) for place in each) for each in beside)
            if both > (best.rows if best else 0) and (both >= least or _has_margin(pieces[start:end], gutter)):
                best = _Band(gutter, start, end, both)
    return best


def _is_code(pieces: Sequence[Piece]) -> bool:
    """Return whether all letters have a fixed width: gaps in code align its parts."""
    return all(isinstance(piece.content, list) and all(word.mono for word in piece.content) for piece in pieces)


def _gaps(pieces: Sequence[Piece]) -> set[tuple[float, float]]:
    """Return the gaps between pieces that are side by side."""
    gaps = set()
    for index, piece in enumerate(pieces):
        for place in _overlapping(pieces, index):
            other = pieces[place]
            left, right = (piece, other) if piece.box[0] < other.box[0] else (other, piece)
            if right.box[0] - left.box[2] >= _LEAST_GUTTER_PT:
                gaps.add((left.box[2], right.box[0]))
    return gaps


def _overlapping(pieces: Sequence[Piece], index: int) -> Iterator[int]:
    """Yield the indexes of pieces after ``index`` that overlap it vertically; ``pieces`` are sorted by their tops."""
    box = pieces[index].box
    for place in range(index + 1, len(pieces)):
        other = pieces[place]
        if other.box[1] >= box[3] - 0.2 * min(box[3] - box[1], other.box[3] - other.box[1]):
            if other.box[1] >= box[3]:
                return
            continue
        yield place


def _beside(pieces: Sequence[Piece], gutter: float) -> tuple[set[int], set[int]]:
    """Return the indexes of the pieces left and right of ``gutter`` that have a piece on the other side of it."""
    beside: tuple[set[int], set[int]] = (set(), set())
    for index, piece in enumerate(pieces):
        side = int(piece.box[0] >= gutter)
        for place in _overlapping(pieces, index):
            if int(pieces[place].box[0] >= gutter) != side:
                beside[side].add(index)
                beside[1 - side].add(place)
    return beside


def _rows_in(piece: Piece) -> int:
    return len(piece.content.rows) if isinstance(piece.content, DraftTable) else 1


def _runs(pieces: Sequence[Piece], gutter: float) -> list[tuple[int, int]]:
    """Return the ranges of pieces between those that cross ``gutter``."""
    crossing = [index for index, piece in enumerate(pieces) if piece.box[0] < gutter < piece.box[2]]
    return [
        (before + 1, after)
        for before, after in pairwise([-1, *crossing, len(pieces)])
        if after - before > _LEAST_KNOWN_ROWS
    ]


def _has_margin(pieces: Sequence[Piece], gutter: float) -> bool:
    """Return whether one side of ``gutter`` is a column of prose whose lines end at it, and the other has notes."""
    for side in (0, 1):
        lines = [
            (piece.box[0], piece.box[2], len(piece.content))
            for piece in pieces
            if isinstance(piece.content, list) and ((piece.box[2] <= gutter) if side == 0 else (piece.box[0] >= gutter))
        ]
        if len(lines) < _LEAST_PROSE_ROWS:
            continue
        width = max(line[1] for line in lines) - min(line[0] for line in lines)
        full = [x0 for x0, x1, words in lines if x1 - x0 > 0.8 * width and words >= _PROSE_WORDS]
        others = len(pieces) - len(lines)
        if len(full) >= max(_LEAST_PROSE_ROWS, 0.5 * len(lines)) and others < 0.6 * len(lines):
            return _are_notes(pieces, gutter, side)
    return False


def _are_notes(pieces: Sequence[Piece], gutter: float, prose: int) -> bool:
    """Return whether the side opposite ``prose`` has notes, not the terms of a list above their descriptions.

    Terms are in bold or fixed-width type, and most of them have nothing beside them.
    """
    others = [piece.content for piece in pieces if int(piece.box[0] >= gutter) != prose]
    words = [
        word for content in others if isinstance(content, list) for word in content if any(map(str.isalnum, word.text))
    ]
    if not all(word.mono or word.bold for word in words):
        return True
    return len(_beside(pieces, gutter)[1 - prose]) > 0.5 * len(others)


def _trim(pieces: Sequence[Piece], band: _Band) -> tuple[int, int]:
    """Drop lines at a band's ends that are nearer to text outside it, such as a heading of the text below the band."""
    start, end = band.start, band.end
    while start > 0 and end - start > 2 and _is_alone(pieces[start], pieces[start:end]):
        if _gap(pieces[start - 1], pieces[start]) >= 0.8 * _gap(pieces[start], pieces[start + 1]):
            break
        start += 1
    while end < len(pieces) and end - start > 2 and _is_alone(pieces[end - 1], pieces[start:end]):
        beside = [piece for piece in pieces[start : end - 1] if _shares_column(piece, pieces[end - 1])]
        if not beside or _gap(pieces[end - 1], pieces[end]) >= 0.8 * _gap(beside[-1], pieces[end - 1]):
            break
        end -= 1
    return start, end


def _is_alone(piece: Piece, band: Sequence[Piece]) -> bool:
    """Return whether no piece of a band is next to ``piece``."""
    return not any(
        other is not piece and min(other.box[3], piece.box[3]) - max(other.box[1], piece.box[1]) > 1.0 for other in band
    )


def _shares_column(one: Piece, other: Piece) -> bool:
    return min(one.box[2], other.box[2]) > max(one.box[0], other.box[0])


def _gap(above: Piece, below: Piece) -> float:
    return max(0.0, below.box[1] - above.box[3])


def _as_lines(pieces: Sequence[Piece]) -> list[Item]:
    if not pieces:
        return []
    column = (min(piece.box[0] for piece in pieces), max(piece.box[2] for piece in pieces))
    words = [word for piece in pieces if isinstance(piece.content, list) for word in piece.content]
    lines: list[Item] = [make_line(row, column) for row in group_rows(words)]
    tables = [piece.content for piece in pieces if isinstance(piece.content, DraftTable)]
    return sorted([*lines, *tables], key=lambda item: item.top if isinstance(item, TextLine) else item.box[1])
