"""A cited passage's text: the cited sentences marked, tables as tables."""

import re
from collections.abc import Iterator, Sequence

from contracts.text import Span
from ui.html import Safe, element, join
from ui.words import Words

# A bar that stands alone; that of an empty cell shares its white space with the next one: "a | | b".
_BAR = re.compile(r"(?<!\S)\|(?!\S)")
_MAX_ROWS, _MAX_COLUMNS, _MAX_CHARACTERS = 120, 24, 60_000


def render_passage(text: str, cited: Sequence[Span], words: Words) -> Safe:
    """Render a passage, ``cited`` being the spans of its cited sentences; lines with `` | `` become a table's rows."""
    spans = _clean(cited, min(len(text), _MAX_CHARACTERS))
    blocks = [
        _table(text, rows, spans, words) if is_table else _paragraph(text, rows, spans)
        for is_table, rows in _blocks(text[:_MAX_CHARACTERS])
    ]
    return element("div", *blocks, class_="passage-text", dir="auto")


def _clean(spans: Sequence[Span], length: int) -> list[Span]:
    """Clip spans to the text, order them and join those that touch."""
    clean: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start):
        start, end = max(0, span.start), min(length, span.end)
        if clean and start <= clean[-1].end:
            clean[-1] = Span(clean[-1].start, max(end, clean[-1].end))
        elif start < end:
            clean.append(Span(start, end))
    return clean


def _blocks(text: str) -> Iterator[tuple[bool, list[Span]]]:
    """Yield runs of lines: two or more neighbours with `` | `` are a table."""
    lines: list[Span] = []
    start = 0
    for row in text.splitlines(keepends=True):
        lines.append(Span(start, start + len(row.rstrip("\r\n"))))
        start += len(row)
    run: list[Span] = []
    run_is_row = False
    for line in lines:
        is_row = " | " in text[line.start : line.end]
        if run and is_row != run_is_row:
            yield run_is_row and len(run) > 1, run
            run = []
        run.append(line)
        run_is_row = is_row
    if run:
        yield run_is_row and len(run) > 1, run


def _paragraph(text: str, lines: Sequence[Span], cited: Sequence[Span]) -> Safe:
    return element("p", _marked(text, Span(lines[0].start, lines[-1].end), cited))


def _marked(text: str, part: Span, cited: Sequence[Span]) -> Safe:
    pieces: list[str] = []
    position = part.start
    for span in cited:
        start, end = max(span.start, part.start), min(span.end, part.end)
        if start >= end:
            continue
        pieces += [text[position:start], element("mark", text[start:end])]
        position = end
    return join([*pieces, text[position : part.end]])


def _table(text: str, lines: Sequence[Span], cited: Sequence[Span], words: Words) -> Safe:
    rows = [_cells(text, line) for line in lines]
    shown = _rows_to_show(lines, cited)
    columns = min(max(len(cells) for cells in rows), _MAX_COLUMNS)
    head = element("thead", _row(text, rows[0], columns, cited, "th", lines[0]))
    body = element("tbody", *[_row(text, rows[i], columns, cited, "td", lines[i]) for i in shown if i])
    table = element("div", element("table", head, body), class_="table-scroll", tabindex=0)
    left_out = len(rows) - len({0, *shown})
    remarks = [words("chat.panel.rows", count=words.number(left_out))] if left_out else []
    hidden = max(len(cells) for cells in rows) - columns
    remarks += [words("chat.panel.columns", count=words.number(hidden))] if hidden else []
    return join([table, *[element("p", remark, class_="quiet") for remark in remarks]])


def _rows_to_show(lines: Sequence[Span], cited: Sequence[Span]) -> range:
    """Choose the rows of a table that is too long, so that the first cited row is among them."""
    first = next((i for i, line in enumerate(lines) if _touches(line, cited)), 0)
    start = 0 if first < _MAX_ROWS else first - _MAX_ROWS // 2
    return range(start, min(len(lines), start + _MAX_ROWS))


def _cells(text: str, line: Span) -> list[Span]:
    """Cut a row at its bars; a cell that holds nothing has a span too, or those behind it would stand in its column."""
    cells: list[Span] = []
    start = line.start
    for match in _BAR.finditer(text, line.start, line.end):
        cells.append(_trimmed(text, Span(start, match.start())))
        start = match.end()
    return [*cells, _trimmed(text, Span(start, line.end))]


def _trimmed(text: str, part: Span) -> Span:
    piece = text[part.start : part.end]
    start = part.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, part.start + len(piece.rstrip())))


def _row(text: str, cells: Sequence[Span], columns: int, cited: Sequence[Span], tag: str, line: Span) -> Safe:
    scope = "col" if tag == "th" else None
    written = [element(tag, _marked(text, cell, cited), scope=scope) for cell in cells[:columns]]
    written += [element(tag, "")] * (columns - len(written))
    return element("tr", *written, class_="cited" if _touches(line, cited) else None)


def _touches(line: Span, cited: Sequence[Span]) -> bool:
    return any(span.start < line.end and span.end > line.start for span in cited)
