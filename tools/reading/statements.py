"""Statements: what a passage says, piece by piece, each with what is needed to understand it alone."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from contracts.text import Passage, Span
from tools.language import fold, rarity, split_sentences
from tools.tables.table import TableRecord, is_table_line, read_table

StatementKind = Literal["sentence", "row", "item", "heading"]

_BULLET = re.compile(r"^\s*(?P<mark>[•◦▪●‣·*+–—-]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_TERMINAL = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_MAX_JOINED_LINES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence, table row or list item of a passage.

    ``text`` is cleaned for people (lines joined, bullet removed); ``sentences`` are the indexes of the passage's
    sentences that it covers. ``before`` is the previous statement in running text; for an item, the sentence that
    introduces the list. ``header`` are the sentence indexes of a row's header line. ``depth`` is an item's indent;
    ``mark`` its bullet or number, "" if it only carries the item before on. ``place`` is the heading path in one line.
    """

    text: str
    passage: int
    sentences: tuple[int, ...]
    kind: StatementKind
    place: str = ""
    before: str = ""
    mark: str = ""
    record: TableRecord | None = None
    header: tuple[int, ...] = ()
    depth: int = 0


@dataclass(slots=True)
class _Line:
    text: str
    first: int
    last: int
    spans: list[Span]
    indexes: list[int]
    apart: bool


def read_statements(passage: Passage, index: int) -> tuple[Statement, ...]:
    """Read the statements of ``passage``, which is number ``index`` (from 0) of the passages, in order."""
    place = " > ".join(part for part in passage.chunk.heading_path if part) or passage.document_title
    return _statements(passage.text, passage.sentences, place, passage.chunk.block_kind == "table", index)


# The same passages are read for several judgements of one question, and for the following questions; about 8 KB each.
@lru_cache(maxsize=2_048)
def _statements(text: str, spans: tuple[Span, ...], place: str, table: bool, index: int) -> tuple[Statement, ...]:
    lines = _lines(text, spans or split_sentences(text))
    statements: list[Statement] = []
    start = 0
    while start < len(lines):
        end = _table_end(lines, start, table)
        if end - start >= 2:
            statements.extend(_rows(lines[start:end], index, place, _lead(statements)))
            start = end
        else:
            start = _read_line(lines, start, statements, index, place)
    return tuple(statements)


def _lines(text: str, spans: tuple[Span, ...]) -> list[_Line]:
    lines: list[_Line] = []
    for match in re.finditer(r"[^\n\r]+", text):
        numbers = [n for n, span in enumerate(spans) if span.start < match.end() and match.start() < span.end]
        if match.group().strip() and numbers:
            # An empty line before it ends a table, a list, or a sentence without an end mark.
            apart = bool(lines) and text.count("\n", lines[-1].last, match.start()) > 1
            chosen = [spans[n] for n in numbers]
            lines.append(_Line(match.group(), match.start(), match.end(), chosen, numbers, apart))
    return lines


def _table_end(lines: list[_Line], start: int, whole: bool) -> int:
    end = start
    while end < len(lines) and (is_table_line(lines[end].text) or (whole and end > start)):
        if end > start and lines[end].apart:
            break
        end += 1
    return end


def _lead(statements: list[Statement]) -> str:
    return statements[-1].text if statements and statements[-1].kind in {"sentence", "heading"} else ""


def _rows(lines: list[_Line], index: int, place: str, before: str) -> list[Statement]:
    records = read_table("\n".join(line.text for line in lines))
    return [
        Statement(
            text=record.reading(),
            passage=index,
            sentences=tuple(lines[record.line].indexes),
            kind="row",
            place=place,
            before=before,
            record=record,
            header=tuple(lines[0].indexes),
        )
        for record in records
        if record.line < len(lines)
    ]


def _read_line(lines: list[_Line], start: int, statements: list[Statement], index: int, place: str) -> int:
    """Add the statements of a line, with the lines that continue its last sentence; return the next line's number."""
    line = lines[start]
    mark = _BULLET.match(line.text)
    owner = _item_above(statements, line.text) if mark is None else None
    depth = mark.start("mark") if mark is not None else owner.depth if owner is not None else None
    first = mark.end() if mark is not None else 0
    pieces = [
        (line.text[max(span.start - line.first, first) : max(span.end - line.first, first)], number)
        for span, number in zip(line.spans, line.indexes, strict=True)
    ]
    # Sentences that are nothing but the list's mark are left out.
    *others, (last, number) = [piece for piece in pieces if piece[0].strip()] or pieces[:1]
    joined, numbers, end = _joined(lines, start, last, [number])
    parts = [*((piece, (number,)) for piece, number in others), (joined, tuple(numbers))]
    for n, (part, sentences) in enumerate(parts):
        text = " ".join(part.split())
        sign = mark.group("mark") if mark is not None and n == 0 else ""
        kind: StatementKind = "item"
        if depth is None:
            is_heading = len(parts) == 1 and len(text.split()) <= 8 and not _TERMINAL.search(text)
            kind = "heading" if is_heading else "sentence"
        statements.append(
            Statement(
                text=text,
                passage=index,
                sentences=sentences,
                kind=kind,
                place=place,
                before=_lead(statements) if depth is None else _before_item(statements, depth, begins=bool(sign)),
                mark=sign,
                depth=depth or 0,
            )
        )
    return end


def _item_above(statements: list[Statement], line: str) -> Statement | None:
    """Return the item that a line continues: the nearest above with less indent."""
    indent = len(line) - len(line.lstrip())
    for each in reversed(statements):
        if each.kind != "item" or not indent:
            return None
        if each.mark and each.depth < indent:
            return each
    return None


def _before_item(statements: list[Statement], depth: int, *, begins: bool) -> str:
    """Return the introduction of an item with indent ``depth``: that of its sibling, or the item above it.

    For the first item of a list, it is the text above; for a continued item, that item.
    """
    earlier = list(takewhile(lambda each: each.kind == "item", reversed(statements)))
    for each in earlier if begins else ():
        if each.depth < depth:
            break
        if each.mark and each.depth == depth:
            return each.before
    return earlier[0].text if earlier else _lead(statements)


def _joined(lines: list[_Line], start: int, text: str, numbers: list[int]) -> tuple[str, list[int], int]:
    """Join the lines that continue a sentence: it has no end mark yet, and the next line starts in lower case."""
    end = start + 1
    text = " ".join(text.split())
    while end < len(lines) and end - start < _MAX_JOINED_LINES:
        following = lines[end].text.strip()
        if lines[end].apart or _TERMINAL.search(text) or not _carries_on(following):
            break
        text = join_broken(text, " ".join(lines[end].text[: lines[end].spans[0].end - lines[end].first].split()))
        numbers.append(lines[end].indexes[0])
        if len(lines[end].spans) > 1:
            # The rest of the line begins a new sentence: leave it for the next call.
            lines[end] = _Line(
                lines[end].text[lines[end].spans[1].start - lines[end].first :],
                lines[end].spans[1].start,
                lines[end].last,
                lines[end].spans[1:],
                lines[end].indexes[1:],
                False,
            )
            break
        end += 1
    return text, numbers, end


def _carries_on(line: str) -> bool:
    return bool(line) and line[0].islower() and not _BULLET.match(line) and not is_table_line(line)


def join_broken(first: str, second: str) -> str:
    """Join two lines of one sentence; a hyphen at the break is removed only if that makes a known English word."""
    match = re.search(r"(\w+)-$", first)
    head = re.match(r"[^\W\d_]+", second)
    if match and head:
        whole = fold(match.group(1) + head.group())
        # A word of ordinary English (Zipf 2) occurs at least once in ten million words: the hyphen came from
        # typesetting.
        return first[:-1] + second if whole.isalpha() and rarity(whole) < 0.75 else first + second
    return f"{first} {second}"
