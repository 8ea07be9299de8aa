"""Tables that go on over a page break."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.layout.blocks import Item
from ingestion.layout.tables import DraftTable, cell_text


def join_continued_tables(pages: Sequence[list[Item]]) -> None:
    """Give, in place, a table that goes on from the page before the header rows of its first part.

    The parts stay on their pages, so that each row is cited from where it stands.
    """
    for before, page in pairwise(pages):
        if not before or not page:
            continue
        last, first = before[-1], page[0]
        if isinstance(last, DraftTable) and isinstance(first, DraftTable) and _goes_on(last, first):
            header = last.rows[: last.header_rows]
            page[0] = replace(first, rows=header + first.rows, header_rows=len(header), borrowed_rows=len(header))


def _goes_on(last: DraftTable, first: DraftTable) -> bool:
    same_width = len(last.rows[0]) == len(first.rows[0]) and last.ruled == first.ruled
    in_line = abs(last.box[0] - first.box[0]) < 6.0 and abs(last.box[2] - first.box[2]) < 12.0
    if not (same_width and in_line and last.header_rows):
        return False
    repeated = [cell_text(cell) for cell in last.rows[0]] == [cell_text(cell) for cell in first.rows[0]]
    return not repeated and not first.header_rows
