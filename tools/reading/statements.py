"""Statements: the pieces of a passage, such as sentences, list items, headings, and table rows with their header."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from contracts.text import Passage, Span
from tools.language import split_sentences
from tools.tables.table import RULE, Row, Table, parse_tables

StatementKind = Literal["sentence", "row", "item", "heading"]

_BULLET = re.compile(r"\s*(?:[•◦▪●‣·*+–—-]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_TERMINAL = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_MOST_HEADING_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence, table row or list item of a passage.

    ``text`` is cleaned up: lines are joined, bullets removed, and the header words added to the cells of a row.
    ``sentences`` are the indexes of the passage's sentences that it covers. ``before`` is the last sentence or heading
    above it. ``header`` are the sentence indexes of a row's header line. ``place`` is the heading path as one line.
    """

    text: str
    passage: int
    sentences: tuple[int, ...]
    kind: StatementKind
    place: str = ""
    before: str = ""
    table: Table | None = None
    row: Row | None = None
    header: tuple[int, ...] = ()


def read_statements(passage: Passage, index: int) -> tuple[Statement, ...]:
    """Return the statements in ``passage``, in order; ``index`` is the index of the passage."""
    place = " > ".join(part for part in passage.chunk.heading_path if part) or passage.document_title
    return _statements(passage.text, passage.sentences, place, index, passage.chunk.block_kind == "rows")


# The same passages are read for several judges of one question, and for later questions; each takes about 8 KB.
@lru_cache(maxsize=2_048)
def _statements(text: str, spans: tuple[Span, ...], place: str, index: int, headless: bool) -> tuple[Statement, ...]:
    spans = spans or split_sentences(text)
    tables = parse_tables(text, headless=headless)
    rows = {row.span.start: (table, row) for table in tables for row in table.rows}
    headers = {table.header_span.start for table in tables}
    found: list[Statement] = []
    end = 0
    for line in re.finditer(r"[^\n]+", text):
        numbers = _sentences_at(spans, Span(*line.span()))
        apart = text.count("\n", end, line.start()) > 1
        if numbers:
            end = line.end()
        if line.start() in rows and numbers:
            table, row = rows[line.start()]
            header = _sentences_at(spans, table.header_span) if any(table.header) else ()
            found.append(
                Statement(
                    text=table.reading(row),
                    passage=index,
                    sentences=numbers,
                    kind="row",
                    place=place,
                    before=_before(found),
                    table=table,
                    row=row,
                    header=header,
                )
            )
        elif line.start() not in headers and not RULE.match(line.group()):
            _read_line(line, [(spans[n], n) for n in numbers], found, apart=apart, place=place, index=index)
    return tuple(found)


def _read_line(
    line: re.Match[str], spans: list[tuple[Span, int]], found: list[Statement], *, apart: bool, place: str, index: int
) -> None:
    """Add the statements in a line to ``found``; unless the line is ``apart``, it may continue the last statement."""
    mark = _BULLET.match(line.group())
    start = line.start() + (mark.end() if mark else 0)
    pieces = [
        (" ".join(line.string[max(span.start, start) : min(span.end, line.end())].split()), n) for span, n in spans
    ]
    pieces = [(piece, n) for piece, n in pieces if piece]
    in_item = bool(mark) or (line.group()[0].isspace() and bool(found) and found[-1].kind == "item")
    if pieces and not (mark or apart) and found and _carries_on(found[-1], pieces[0][0]):
        piece, n = pieces.pop(0)
        whole, last = f"{found[-1].text} {piece}", found[-1]
        kind = last.kind if last.kind == "item" else _kind_of(whole)
        found[-1] = replace(last, text=whole, sentences=(*last.sentences, n), kind=kind)
    for piece, n in pieces:
        kind = "item" if in_item else _kind_of(piece) if len(spans) == 1 else "sentence"
        found.append(
            Statement(text=piece, passage=index, sentences=(n,), kind=kind, place=place, before=_before(found))
        )


def _sentences_at(spans: tuple[Span, ...], place: Span) -> tuple[int, ...]:
    return tuple(n for n, span in enumerate(spans) if span.start < place.end and place.start < span.end)


def _before(found: list[Statement]) -> str:
    return next((each.text for each in reversed(found) if each.kind in ("sentence", "heading")), "")


def _kind_of(text: str) -> StatementKind:
    return "heading" if len(text.split()) <= _MOST_HEADING_WORDS and not _TERMINAL.search(text) else "sentence"


def _carries_on(last: Statement, piece: str) -> bool:
    """Return whether a line continues a statement: the statement has no end mark, and the line begins in lowercase."""
    return last.kind != "row" and piece[0].islower() and not _TERMINAL.search(last.text)
