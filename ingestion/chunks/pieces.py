"""Pieces: text that keeps its places on the pages while it is cut and put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.text import Block, Span, TextBox

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text with the boxes of its parts and the pages it comes from."""

    text: str
    boxes: tuple[TextBox, ...]
    page: int
    last_page: int


def piece_of(block: Block) -> Piece:
    """Take a block's text as a piece."""
    return Piece(block.text, block.boxes, block.page, block.page)


def cut(piece: Piece, start: int, end: int) -> Piece:
    """Cut ``text[start:end]`` out of a piece, without white space at its ends; boxes go with their part of the text."""
    part = piece.text[start:end]
    start += len(part) - len(part.lstrip())
    part = part.strip()
    end = start + len(part)
    boxes = tuple(
        replace(
            each,
            span=Span(max(each.span.start, start) - start, min(each.span.end, end) - start),
            confidences=_confidences_within(piece.text, each, start, end),
        )
        for each in piece.boxes
        if each.span.start < end and each.span.end > start
    )
    return Piece(part, boxes, piece.page, piece.last_page)


def _confidences_within(text: str, box: TextBox, start: int, end: int) -> tuple[float, ...]:
    """Return the confidences of the words of ``box`` that reach into ``text[start:end]``."""
    if not box.confidences or (start <= box.span.start and end >= box.span.end):
        return box.confidences
    words = _WORD.finditer(text, box.span.start, box.span.end)
    return tuple(
        confidence
        for word, confidence in zip(words, box.confidences, strict=False)
        if word.start() < end and word.end() > start
    )


def join(pieces: Sequence[Piece], separators: Sequence[str]) -> Piece:
    """Put pieces together; ``separators[i]`` stands before piece ``i`` (the first is left out)."""
    text = ""
    boxes: list[TextBox] = []
    for index, (piece, separator) in enumerate(zip(pieces, separators, strict=True)):
        if index:
            text += separator
        boxes += (
            replace(each, span=Span(each.span.start + len(text), each.span.end + len(text))) for each in piece.boxes
        )
        text += piece.text
    return Piece(text, tuple(boxes), min(piece.page for piece in pieces), max(piece.last_page for piece in pieces))
