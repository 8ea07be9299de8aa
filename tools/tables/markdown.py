"""Tables as Markdown."""

from collections.abc import Sequence

from tools.tables.records import is_unit_header
from tools.tables.table import TableAnswer

_MAX_COLUMNS = 6


def table_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; one without a header gets an empty one, and short rows are filled up."""
    width = max([len(header), *(len(row) for row in rows)])
    lines = [[*header, *[""] * (width - len(header))], ["---"] * width]
    lines += [[*row, *[""] * (width - len(row))] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def answer_markdown(answer: TableAnswer) -> str:
    """Write the header and the rows of an answer, cells as they stand; a count has a line before."""
    table = answer.table
    shown = sorted({table.key, *answer.columns})
    if answer.operation == "compare":
        shown = list(dict.fromkeys([table.key, *answer.columns]))[:_MAX_COLUMNS]
    shown += [column for column, name in enumerate(table.header) if is_unit_header(name) and column not in shown]
    rows = [[table.rows[row].cells[column] for column in shown] for row in answer.rows]
    counted = f"{answer.count} of {len(table.rows)} rows:\n\n" if answer.count is not None else ""
    return counted + table_markdown([table.header[column] for column in shown], rows)
