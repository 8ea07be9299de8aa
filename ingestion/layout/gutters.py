"""Narrow gutters: columns that stand nearer to each other than the widest spaces between words."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from ingestion.layout.words import Segment, split_row

# In parts of the font size: spaces are about .25 and rarely beyond .4, gaps beyond 1.0 part a row anyway.
_LEAST_GAP = 0.4
# The gaps between words do not line up by chance over so many rows.
_LEAST_ROWS = 8
# Bullets and numbers stand in front of lists without being a column.
_LEAST_WORDS = 2.5


def split_rows(rows: Sequence[Segment]) -> list[list[Segment]]:
    """Part rows at their wide gaps, and where the gaps of many rows on end stand one below the other."""
    parts = [split_row(row) for row in rows]
    for gutter, start, end in _narrow_gutters(rows):
        for index in range(start, end):
            parts[index] = [half for segment in parts[index] for half in _halves(segment, gutter)]
    return parts


def _narrow_gutters(rows: Sequence[Segment]) -> list[tuple[float, int, int]]:
    gaps = [_gaps(row) for row in rows]
    candidates = sorted({round(x1 - 0.5, 1) for row in gaps for _, x1 in row})
    found: list[tuple[float, int, int]] = []
    for x in candidates:
        index = 0
        while index < len(rows):
            end = index
            while end < len(rows) and not _crosses(rows[end], gaps[end], x):
                end += 1
            if _parts_columns(rows[index:end], gaps[index:end], x) and not any(
                abs(x - other) < 20.0 and start < end and index < stop for other, start, stop in found
            ):
                found.append((x, index, end))
            index = end + 1
    return found


def _gaps(row: Segment) -> list[tuple[float, float]]:
    if any(word.mono for word in row):
        # The letters of code stand one below the other.
        return []
    return [
        (before.x1, after.x0)
        for before, after in pairwise(row)
        if after.x0 - before.x1 >= _LEAST_GAP * max(min(before.size, after.size), 4.0)
    ]


def _crosses(row: Segment, gaps: Sequence[tuple[float, float]], x: float) -> bool:
    if x <= row[0].x0 or x >= row[-1].x1:
        return False
    at = bisect_right(gaps, (x, float("inf"))) - 1
    return not (at >= 0 and gaps[at][0] < x < gaps[at][1])


def _parts_columns(rows: Sequence[Segment], gaps: Sequence[Sequence[tuple[float, float]]], x: float) -> bool:
    parted = [row for row, each in zip(rows, gaps, strict=True) if any(x0 < x < x1 for x0, x1 in each)]
    if len(parted) < _LEAST_ROWS:
        return False
    left = sum(sum(1 for word in row if word.x1 <= x) for row in parted)
    right = sum(sum(1 for word in row if word.x0 >= x) for row in parted)
    return min(left, right) >= _LEAST_WORDS * len(parted)


def _halves(segment: Segment, x: float) -> list[Segment]:
    left = [word for word in segment if word.x1 <= x]
    right = [word for word in segment if word.x1 > x]
    return [half for half in (left, right) if half]
