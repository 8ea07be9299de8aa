"""Bullets and numbers at a distance from the text of their list items, which must not be taken for table columns."""

import re
from collections.abc import Sequence

from ingestion.layout.words import Segment, join_words

BULLETS = "•●▪■◦○‣·▸►➢➤✓✔❖◆◇□❏⦁∙\uf0b7\uf0a7\u2043"
_MARK = re.compile(
    rf"^(?:[{BULLETS}–—*o-]|\(?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{1,5}})[.):]|\(\d{{1,3}}\.|\[\d{{1,3}}\]|\d+(?:\.\d+)+\.?)$"
)
_NUMBER = re.compile(r"^\d{1,3}$")
# The marks of a list are aligned with each other, at their beginnings or their ends, and so are its texts.
_IN_LINE_PT = 2.0
# Relative to the font size: how far the text of an item is from its bullet, at most.
_BULLET_GAP = 3.0
# Bare numbers are marks of a list if at least this many are consecutive.
_LEAST_NUMBERS = 3


def is_mark(text: str) -> bool:
    """Return whether a text is the mark of a list item: a bullet, a number or a letter."""
    return bool(_MARK.match(text))


def is_list_number(text: str) -> bool:
    """Return whether a text is a mark, or a bare number, which counts as a mark if a wide gap follows."""
    return is_mark(text) or bool(_NUMBER.match(text))


def join_marks(rows: Sequence[list[Segment]]) -> list[list[Segment]]:
    """Join list marks with the text that is far to the right of them, so that they do not form a column."""
    joined = [_with_bullets(row) for row in rows]
    rows = list(joined)
    for start, row in enumerate(rows):
        if len(row) != 2 or joined[start] is not row:
            continue
        items = _items_from(rows, start)
        if items:
            for index in items:
                joined[index] = [[*rows[index][0], *rows[index][1]]]
    return joined


def _with_bullets(row: list[Segment]) -> list[Segment]:
    """Join each bullet of a row with the text after it, unless that is another bullet or far away."""
    joined: list[Segment] = []
    for segment in row:
        before = joined[-1] if joined else []
        bullet = len(before) == 1 and before[0].text in BULLETS and segment[0].text not in BULLETS
        if bullet and segment[0].x0 - before[0].x1 <= _BULLET_GAP * segment[0].size:
            joined[-1] = [*before, *segment]
        else:
            joined.append(segment)
    return joined


def _items_from(rows: Sequence[list[Segment]], start: int) -> list[int]:
    """Return which rows are the items of the list that begins at ``start``; none if it is a table or text."""
    text_x0, first = rows[start][1][0].x0, join_words(rows[start][0])
    numbered = bool(_NUMBER.match(first))
    # There is no text next to a formula's numbers and symbols.
    if (not numbered and not is_mark(first)) or not any(map(str.isalpha, join_words(rows[start][1]))):
        return []
    # A row right above with the same columns is the header of a table.
    if start and len(rows[start - 1]) > 1 and abs(rows[start - 1][1][0].x0 - text_x0) < _IN_LINE_PT:
        return []
    items: list[int] = []
    for index in range(start, len(rows)):
        row = rows[index]
        if len(row) == 1:
            if row[0][0].x0 < text_x0 - _IN_LINE_PT:
                break
            continue
        fits = len(row) == 2 and abs(row[1][0].x0 - text_x0) < _IN_LINE_PT
        mark = join_words(row[0])
        if not fits or (mark != str(int(first) + len(items)) if numbered else not is_mark(mark)):
            # If the row has more columns, this is a table.
            return [] if len(row) > 2 or fits else items
        items.append(index)
    return items if not numbered or len(items) >= _LEAST_NUMBERS else []
