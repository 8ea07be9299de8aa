"""A cited passage's text: the cited sentences marked, tables as tables."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from contracts.text import Span
from ui.html import render

# A bar with spaces around it; an empty cell's bar shares a space with the next one: "a | | b".
_BAR = re.compile(r"(?<!\S)\|(?!\S)")
_MAX_CHARACTERS = 60_000


def render_passage(text: str, cited: Sequence[Span], *, excerpt: bool = False) -> Markup:
    """Render a passage; ``cited`` are the spans of its cited sentences. Lines with `` | `` become a table's rows.

    In an ``excerpt``, only the paragraphs and rows with cited text are shown; if they are cited completely, nothing is
    marked.
    """
    text = text[:_MAX_CHARACTERS]
    spans = _joined(cited, len(text))
    shown = list(_cited_blocks(text, spans) if excerpt else _blocks(text))
    if excerpt and not any(_is_left(text, line, spans) for is_table, lines in shown for line in lines[is_table:]):
        spans = []
    blocks = [
        (True, [(_touches(line, spans), [_pieces(text, cell, spans) for cell in _cells(text, line)]) for line in lines])
        if is_table
        else (False, _pieces(text, Span(lines[0].start, lines[-1].end), spans))
        for is_table, lines in shown
    ]
    return render("passage.html", blocks=blocks)


def _joined(spans: Sequence[Span], length: int) -> list[Span]:
    """Clip spans to the text, order them and join those that touch."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start):
        start, end = max(0, span.start), min(length, span.end)
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        elif start < end:
            joined.append(Span(start, end))
    return joined


def _blocks(text: str) -> Iterator[tuple[bool, list[Span]]]:
    """Yield paragraphs as runs of lines: two or more adjacent lines with `` | `` are a table."""
    lines: list[Span] = []
    start = 0
    for row in text.splitlines(keepends=True):
        lines.append(Span(start, start + len(row.rstrip("\r\n"))))
        start += len(row)
    for kind, run in groupby(lines, key=lambda line: _kind(text[line.start : line.end])):
        found = list(run)
        if kind != "blank":
            yield kind == "row" and len(found) > 1, found


def _kind(line: str) -> str:
    return ("row" if " | " in line else "words") if line.strip() else "blank"


def _cited_blocks(text: str, cited: Sequence[Span]) -> Iterator[tuple[bool, list[Span]]]:
    for is_table, lines in _blocks(text):
        touched = [line for line in lines if _touches(line, cited)]
        if touched:
            yield is_table, list(dict.fromkeys([lines[0], *touched])) if is_table else lines


def _is_left(text: str, line: Span, cited: Sequence[Span]) -> bool:
    """Return whether a word of the line is not cited."""
    return any(map(str.isalnum, "".join(piece for is_cited, piece in _pieces(text, line, cited) if not is_cited)))


def _pieces(text: str, part: Span, cited: Sequence[Span]) -> list[tuple[bool, str]]:
    """Split a part of the text wherever a citation begins or ends."""
    pieces: list[tuple[bool, str]] = []
    position = part.start
    for span in cited:
        start, end = max(span.start, part.start), min(span.end, part.end)
        if start < end:
            pieces += [(False, text[position:start]), (True, text[start:end])]
            position = end
    return [*pieces, (False, text[position : part.end])]


def _cells(text: str, line: Span) -> list[Span]:
    """Split a row at its bars; an empty cell has a span too, or the cells after it would move into its column."""
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


def _touches(line: Span, cited: Sequence[Span]) -> bool:
    return any(span.start < line.end and span.end > line.start for span in cited)
