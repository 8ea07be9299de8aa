"""One page: from its words to its lines and tables in reading order.

Entries of tables of contents and indexes are left out: lines of titles, dot leaders and page numbers only repeat text
from the pages. Rows are split at wide gaps, and at narrow gutters between columns that are nearer to each other than
the widest spaces between words.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.layout.blocks import Item
from ingestion.layout.columns import read_in_order
from ingestion.layout.marks import join_marks
from ingestion.layout.tables import DraftTable, find_unruled
from ingestion.layout.words import LayoutWord, Segment, group_rows, join_words, split_row

_ENTRY = re.compile(r"(?:\.\s?){4,}\s*(?P<page>\d{1,4})\s*$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}")
_LEAST_ENTRIES = 4
# "--abbrev-len . . . . . . 73, 81": an index names several pages for some of its entries.
_INDEXED = re.compile(r"(?:\.\s?){4,}\s*\d{1,4}(?:, \d{1,4})+")
_LEAST_INDEXED = 3
_INDEX_NAME = re.compile(r"\b(?:index|stichwortverzeichnis)\b", re.IGNORECASE)
# Page numbers end at the same place, and are far to the right of the chapter titles (relative to the font size).
_IN_LINE_PT = 2.0
_FAR = 2.0
# Relative to the font size: spaces are about .25 and rarely beyond .4; gaps beyond 1.0 split a row anyway.
_LEAST_GAP = 0.4
# Gaps between words do not line up by chance in this many rows.
_LEAST_ROWS = 8
# Bullets and numbers of lists are not a column.
_LEAST_WORDS = 2.5


def lay_out(words: Sequence[LayoutWord], tables: Sequence[DraftTable]) -> list[Item]:
    """Find unruled tables among the words of a page; put all tables and lines into reading order."""
    rows = join_marks(split_rows(without_contents(group_rows(words))))
    unruled, rest = find_unruled(rows)
    return read_in_order([segment for row in rest for segment in row], [*tables, *unruled])


def without_contents(rows: Sequence[Segment]) -> list[Segment]:
    """Return the rows of a page without the entries of a table of contents or an index, and without dot leaders.

    Rows count as entries if there are several with rising page numbers, if many have leaders and some of them several
    page numbers, or if the page is titled as an index; a price list with leaders stays.
    """
    led = [row for row in rows if _has_leaders(row)]
    if len(led) >= 0.4 * len(rows) and _is_index(rows, led):
        # The letters of the alphabet are between the entries.
        return [row for row in rows if row not in led and any(len(word.text) > 1 for word in row)]
    entries = {index: int(match.group("page")) for index, row in enumerate(rows) if (match := _match(row))}
    numbers = list(entries.values())
    falls = sum(1 for before, after in pairwise(numbers) if after < before)
    if len(numbers) >= _LEAST_ENTRIES and falls <= len(numbers) // 10:
        # Chapters have no leaders, only a page number below the others.
        edge = max(rows[index][-1].x1 for index in entries)
        chapters = {index for index, row in enumerate(rows) if _ends_with_page(row, edge)}
        return [row for index, row in enumerate(rows) if index not in entries and index not in chapters]
    return [stripped for row in rows if (stripped := _strip(row))]


def _is_index(rows: Sequence[Segment], led: Sequence[Segment]) -> bool:
    named = any(_INDEX_NAME.search(join_words(row)) for row in rows[:3])
    texts = [join_words(row) for row in led]
    several = sum(bool(_INDEXED.search(text)) for text in texts)
    paged = sum(bool(_ENTRY.search(text)) for text in texts)
    return several >= _LEAST_INDEXED or (named and paged >= max(_LEAST_INDEXED, 0.5 * len(led)))


def _has_leaders(row: Segment) -> bool:
    return sum(word.text == "." for word in row) >= 4 or any("...." in word.text for word in row)


def _match(row: Segment) -> re.Match[str] | None:
    # Most rows end without a digit: the text of a row is only joined if it may be an entry.
    if not row[-1].text[-1:].isdigit() or not any(".." in word.text or word.text == "." for word in row):
        return None
    return _ENTRY.search(join_words(row))


def _ends_with_page(row: Segment, edge: float) -> bool:
    """Return whether a row is a text followed, far to the right, by a number that ends at ``edge``."""
    if len(row) < 2 or not row[-1].text.isdigit() or abs(row[-1].x1 - edge) > _IN_LINE_PT:
        return False
    return row[-1].x0 - row[-2].x1 > _FAR * row[-1].size


def _strip(row: Segment) -> Segment:
    if not any("...." in word.text or "……" in word.text for word in row):
        return row
    words = [replace(word, text=_LEADERS.sub(" ", word.text).strip()) for word in row]
    return [word for word in words if word.text]


def split_rows(rows: Sequence[Segment]) -> list[list[Segment]]:
    """Split rows at their wide gaps, and where the gaps of many consecutive rows line up."""
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
        # In code, letters line up.
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
