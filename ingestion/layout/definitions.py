"""Lists of definitions on a page: terms with their descriptions indented below them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from contracts.text import Block, BlockKind, Span, TextBox

# The maximum distance between aligned left edges.
_IN_LINE_PT = 2.0
# Relative to the height of the term's line: paragraphs begin with smaller indents, page numbers are further right, and
# descriptions are not far below.
_LEAST_INDENT = 1.7
_MOST_INDENT = 15.0
_MOST_GAP = 1.5
_MOST_TERM_LINES = 6
_MOST_TERM_CHARACTERS = 80
_MOST_TERM_WORDS = 8
# Words in the body typeface count as a term only if there are at least this many such terms in a row.
_FEWEST_PLAIN_TERMS = 2
# The description of such a term has at least this many words; shorter ones are formulas or examples.
_FEWEST_WORDS = 4
# Lines that are not terms: numbered lines of code, lines that continue or end a block, and printed sentences.
_IN_PROGRAM = re.compile(r"[{;%,.!?]\s*$|^\s*(?:\d+\s+\S|\})")
_MARGIN = "  "
_Kind = Literal["code", "plain", "both"]


@dataclass(frozen=True, slots=True)
class _Definition:
    """The block ``start`` is a term, and the blocks after it up to ``end`` (exclusive) describe it.

    ``kind`` is "code" for code or a bold option, "plain" for a line of plain text, "both" if the term is on the first
    line of its description. ``term_x0`` and ``text_x0`` are the left edges of the term and the description, in points.
    """

    start: int
    end: int
    term_x0: float
    text_x0: float
    kind: _Kind


def with_definitions(blocks: Sequence[Block]) -> list[Block]:
    """Write terms with the descriptions below them as lists: "- term: description", further parts indented.

    A term is code, the bold name of an option, or one short line of text if the next such term has the same edges; the
    description is indented. Other headings stay as they are.
    """
    result: list[Block] = []
    at = 0
    while at < len(blocks):
        run = _run_from(blocks, at)
        if not run:
            result.append(blocks[at])
            at += 1
            continue
        result += _as_list(blocks, run)
        at = run[-1].end
    return result


def _run_from(blocks: Sequence[Block], start: int) -> list[_Definition]:
    run: list[_Definition] = []
    while (found := _definition_at(blocks, run[-1].end if run else start)) is not None:
        if run and not (_in_line(found.term_x0, run[0].term_x0) and _in_line(found.text_x0, run[0].text_x0)):
            break
        run.append(found)
    kinds = [each.kind for each in run]
    return run if "code" in kinds or kinds.count("plain") >= _FEWEST_PLAIN_TERMS else []


def _definition_at(blocks: Sequence[Block], start: int) -> _Definition | None:
    if start == len(blocks) or not blocks[start].boxes:
        return None
    term = blocks[start]
    kind: _Kind = "plain" if term.kind == "paragraph" else "code"
    last = term.boxes[-1].box
    height = last.bottom - last.top
    if _is_term(term) and start + 1 < len(blocks) and _is_below(blocks[start + 1], last.bottom, height):
        first = start + 1
        if kind == "plain" and len(blocks[first].text.split()) < _FEWEST_WORDS:
            return None
        text_x0 = _left(blocks[first])
    elif term.kind == "paragraph" and len(term.boxes) > 1:
        first, kind = start, "both"
        text_x0 = min(each.box.x0 for each in term.boxes[1:])
    else:
        return None
    if not _LEAST_INDENT * height <= text_x0 - term.boxes[0].box.x0 <= _MOST_INDENT * height:
        return None
    end = first + 1
    while end < len(blocks) and _belongs(blocks[end - 1], blocks[end], text_x0):
        end += 1
    return _Definition(start, end, term.boxes[0].box.x0, text_x0, kind)


def _is_below(block: Block, bottom: float, height: float) -> bool:
    # Page numbers have no letters.
    is_text = block.kind in ("paragraph", "list") and bool(block.boxes) and any(map(str.isalpha, block.text))
    return is_text and -1.0 < _top(block) - bottom < _MOST_GAP * height


def _is_term(block: Block) -> bool:
    lines = block.text.split("\n")
    if not block.boxes or len(block.boxes) != len(lines) or not any(map(str.isalnum, block.text)):
        return False
    if block.kind == "heading":
        return block.text[0] in "-–"
    if block.kind == "code":
        aligned = all(_in_line(each.box.x0, block.boxes[0].box.x0) for each in block.boxes)
        short = len(lines) <= _MOST_TERM_LINES and max(map(len, lines)) <= _MOST_TERM_CHARACTERS
        return aligned and short and not any(map(_IN_PROGRAM.search, lines))
    return (
        block.kind == "paragraph"
        and len(lines) == 1
        and len(block.text.split()) <= _MOST_TERM_WORDS
        and block.text[-1] not in ".,;:!?"
    )


def _belongs(before: Block, block: Block, text_x0: float) -> bool:
    return (
        block.kind in ("paragraph", "list", "code")
        and bool(block.boxes)
        and _left(block) > text_x0 - _IN_LINE_PT
        and _top(block) > _top(before)
    )


def _as_list(blocks: Sequence[Block], run: Sequence[_Definition]) -> list[Block]:
    made: list[Block] = []
    for each in run:
        first, *others = blocks[each.start : each.end]
        item = _joined(_mark(first), first, "") if each.kind == "both" else _item(first, others.pop(0))
        for block in (item, *map(_indented, with_definitions(others))):
            if made and made[-1].kind == block.kind == "list":
                made[-1] = _joined(made[-1], block, "\n")
            else:
                made.append(block)
    return made


def _item(term: Block, text: Block) -> Block:
    names = _mark(term)
    for number, (line, box) in enumerate(zip(term.text.split("\n"), term.boxes, strict=True)):
        name = line.strip().removesuffix(":")
        part = replace(term, text=name, boxes=(replace(box, span=Span(0, len(name))),))
        names = _joined(names, part, ", " if number else "")
    if text.kind == "list":
        return _joined(replace(names, text=f"{names.text}:"), _indented(text), "\n")
    return _joined(names, text, ": ")


def _mark(term: Block) -> Block:
    return replace(term, kind="list", text="- ", level=0, boxes=())


def _joined(one: Block, other: Block, separator: str) -> Block:
    start = len(one.text) + len(separator)
    moved = tuple(_moved(box, start) for box in other.boxes)
    return replace(one, text=f"{one.text}{separator}{other.text}", boxes=(*one.boxes, *moved))


def _indented(block: Block) -> Block:
    """Return a part of an item, with its lines indented."""
    kind: BlockKind = "code" if block.kind == "code" else "list"
    boxes = tuple(_moved(box, len(_MARGIN) * (1 + block.text.count("\n", 0, box.span.start))) for box in block.boxes)
    return replace(block, kind=kind, text="\n".join(_MARGIN + line for line in block.text.split("\n")), boxes=boxes)


def _moved(box: TextBox, by: int) -> TextBox:
    return replace(box, span=Span(box.span.start + by, box.span.end + by))


def _left(block: Block) -> float:
    return min(each.box.x0 for each in block.boxes)


def _top(block: Block) -> float:
    return block.boxes[0].box.top


def _in_line(one: float, other: float) -> bool:
    return abs(one - other) <= _IN_LINE_PT
