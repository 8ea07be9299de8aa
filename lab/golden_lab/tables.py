"""Tables as text: for a terminal, and in Markdown."""

from collections.abc import Sequence


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table's lines, each column as wide as its widest cell; the first is aligned left, the rest right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    form = "  ".join(f"{{:{'>' if at else '<'}{width}}}" for at, width in enumerate(widths))
    return [form.format(*row) for row in rows]


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table's lines in Markdown; cells are not escaped."""
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]
