"""One page: from its words to its lines, tables and figures in reading order."""

from collections.abc import Sequence

from ingestion.layout.blocks import Item
from ingestion.layout.columns import read_in_order
from ingestion.layout.contents import without_contents
from ingestion.layout.figures import DraftFigure
from ingestion.layout.gutters import split_rows
from ingestion.layout.tables import DraftTable
from ingestion.layout.unruled import find_unruled
from ingestion.layout.words import LayoutWord, group_rows


def lay_out(
    words: Sequence[LayoutWord], tables: Sequence[DraftTable], figures: Sequence[DraftFigure] = ()
) -> list[Item]:
    """Find the unruled tables among the words of a page, and bring them, the others, figures and lines into order."""
    rows = split_rows(without_contents(group_rows(words)))
    unruled, rest = find_unruled(rows)
    return read_in_order([segment for row in rest for segment in row], [*tables, *unruled, *figures])
