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
    """Say whether a table at the head of a page has the same columns, and no header row of its own."""
    same_width = len(last.rows[0]) == len(first.rows[0]) and last.ruled == first.ruled
    in_line = abs(last.box[0] - first.box[0]) < 6.0 and abs(last.box[2] - first.box[2]) < 12.0
    if not (same_width and in_line and last.header_rows):
        return False
    names, row = ([cell_text(cell) for cell in table.rows[0]] for table in (last, first))
    if names == row:
        return False
    # A bold header would be bold again; between plain rows only the columns can tell.
    return not _is_bold(first) if _is_bold(last) or first.header_rows else True


def _is_bold(table: DraftTable) -> bool:
    return all(word.bold for cell in table.rows[0] for word in cell)
