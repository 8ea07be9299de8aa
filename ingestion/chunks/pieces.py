"""Pieces of text that keep their positions on the page, drafts of passages made of them, and the splitting of text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.text import Block, BlockKind, Span, TextBox
from ingestion.chunks.outline import Subsection

_WORD = re.compile(r"\S+")

# Notes are separated from the rows above them, so that they are not read as a row.
NOTE_SEAM = "\n\n"
CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A text with the boxes of its parts, the pages it comes from, and the headings and code within it."""

    text: str
    boxes: tuple[TextBox, ...]
    page: int
    last_page: int
    headings: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()


def piece_of(block: Block) -> Piece:
    """Return a block's text as a piece."""
    whole = (Span(0, len(block.text)),)
    headings, code = (whole if block.kind == kind else () for kind in ("heading", "code"))
    return Piece(block.text, block.boxes, block.page, block.page, headings, code)


def cut(piece: Piece, start: int, end: int) -> Piece:
    """Cut ``text[start:end]`` out of a piece, without white space at its ends; boxes stay with their text."""
    part = piece.text[start:end]
    start += len(part) - len(part.lstrip())
    part = part.strip()
    end = start + len(part)
    boxes = tuple(
        replace(
            each,
            span=_clipped(each.span, start, end),
            confidences=_confidences_within(piece.text, each, start, end),
        )
        for each in piece.boxes
        if each.span.start < end and each.span.end > start
    )
    code = tuple(_clipped(each, start, end) for each in piece.code if each.start < end and each.end > start)
    return Piece(part, boxes, piece.page, piece.last_page, code=code)


def _clipped(span: Span, start: int, end: int) -> Span:
    return Span(max(span.start, start) - start, min(span.end, end) - start)


def _confidences_within(text: str, box: TextBox, start: int, end: int) -> tuple[float, ...]:
    """Return the confidences of the words of ``box`` that overlap ``text[start:end]``."""
    if not box.confidences or (start <= box.span.start and end >= box.span.end):
        return box.confidences
    words = _WORD.finditer(text, box.span.start, box.span.end)
    return tuple(
        confidence
        for word, confidence in zip(words, box.confidences, strict=False)
        if word.start() < end and word.end() > start
    )


def join(pieces: Sequence[Piece], separators: Sequence[str]) -> Piece:
    """Put pieces together; ``separators[i]`` comes before piece ``i`` (the first is left out)."""
    text = ""
    boxes: list[TextBox] = []
    headings: list[Span] = []
    code: list[Span] = []
    for index, (piece, separator) in enumerate(zip(pieces, separators, strict=True)):
        if index:
            text += separator
        boxes += (replace(each, span=_moved(each.span, len(text))) for each in piece.boxes)
        headings += (_moved(each, len(text)) for each in piece.headings)
        code += (_moved(each, len(text)) for each in piece.code)
        text += piece.text
    first, last = min(piece.page for piece in pieces), max(piece.last_page for piece in pieces)
    return Piece(text, tuple(boxes), first, last, tuple(headings), tuple(code))


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage before it has an id: its own text ``fresh``, and around it text that also occurs elsewhere.

    ``repeated`` is a table's header, or the previous sentence of a paragraph that is cut, followed by ``seam``;
    ``trailing`` contains a table's notes. ``under`` contains headings below those in ``path``: the lead-in and the
    parent items of a list that continues here.
    """

    subsection: Subsection
    path: tuple[str, ...]
    kind: BlockKind
    fresh: Piece
    repeated: Piece | None = None
    seam: str = "\n"
    trailing: Piece | None = None
    under: tuple[str, ...] = ()

    @property
    def piece(self) -> Piece:
        parts = [each for each in (self.repeated, self.fresh, self.trailing) if each is not None]
        seams = [self.seam if each is self.fresh else NOTE_SEAM for each in parts]
        whole = join(parts, seams)
        # Text repeated from another page does not move the passage there.
        return replace(whole, page=self.fresh.page, last_page=self.fresh.last_page)


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A unit that is not cut: a sentence, a list, an item, code. ``separator`` goes between it and the previous one.

    ``context`` contains the headings of a passage that begins with the unit: a list item's lead-in and parent items.
    """

    piece: Piece
    tokens: int
    separator: str
    kind: BlockKind
    keep_with_next: bool = False
    context: tuple[str, ...] = ()


def pack(units: Sequence[TextUnit], target: int, budget: int) -> Iterator[list[TextUnit]]:
    """Fill groups up to about ``target`` tokens, never more than ``budget`` unless a single unit is longer.

    A group ends before any unit that does not have all headings of the group's first unit, such as a new item.
    """
    group: list[TextUnit] = []
    tokens = 0
    for unit in units:
        held_back: list[TextUnit] = []
        full = tokens + unit.tokens > budget or (tokens + unit.tokens > target and tokens >= 0.6 * target)
        apart = bool(group) and unit.context[: len(group[0].context)] != group[0].context
        if group and (full or apart):
            # Text that leads into the next unit moves with it, unless the group would be empty.
            while len(group) > 1 and group[-1].keep_with_next and group[-1].tokens < budget // 3:
                held_back.insert(0, group.pop())
            if sum(each.tokens for each in held_back) + unit.tokens > budget:
                group, held_back = group + held_back, []
            yield group
            group, tokens = held_back, sum(each.tokens for each in held_back)
        group.append(unit)
        tokens += unit.tokens
    if group:
        yield group


def within(piece: Piece, budget: int, count: CountTokens) -> Iterator[Piece]:
    """Cut text longer than a passage (an endless sentence, a giant row) at words, as a last resort between letters."""
    if count(piece.text) + 1 <= budget:
        yield piece
        return
    start, end, position = 0, 0, 0
    words = [match.span() for match in re.finditer(r"\S+", piece.text)]
    step = max(1, budget // 8)
    while position < len(words):
        last = words[min(position + step, len(words)) - 1][1]
        if end > start and count(piece.text[start:last]) + 1 > budget:
            yield cut(piece, start, end)
            start = words[position][0]
        if count(piece.text[start:last]) + 1 > budget:
            yield from _by_letters(cut(piece, start, last), budget, count)
            start = last
        end = last
        position += step
    if end > start:
        yield cut(piece, start, end)


def _by_letters(piece: Piece, budget: int, count: CountTokens) -> Iterator[Piece]:
    """Halve a piece until its parts fit."""
    if len(piece.text) < 2 or count(piece.text) + 1 <= budget:
        yield piece
        return
    middle = len(piece.text) // 2
    for start, end in ((0, middle), (middle, len(piece.text))):
        yield from _by_letters(cut(piece, start, end), budget, count)
