"""Sentences: where each begins and ends."""

import re
from functools import lru_cache

import pysbd

from contracts.text import Span

# pysbd is quadratic on very long lines; documents without sentence marks are cut to lines of this many characters.
_MAX_LINE_CHARACTERS = 4_000


@lru_cache(maxsize=1)
def _segmenter() -> pysbd.Segmenter:
    return pysbd.Segmenter(language="en", clean=False, char_span=False)


@lru_cache(maxsize=4_096)
def split_sentences(text: str) -> tuple[Span, ...]:
    """Split ``text`` into sentences. A line end always ends one: lines are table rows, list items or headings.

    The spans are in order, do not overlap, hold no leading or trailing white space, and leave no word out.
    """
    spans: list[Span] = []
    for line in re.finditer(r"[^\n\r]+", text):
        for start in range(line.start(), line.end(), _MAX_LINE_CHARACTERS):
            piece = text[start : min(start + _MAX_LINE_CHARACTERS, line.end())]
            spans.extend(_split_line(piece, start))
    return tuple(spans)


def _split_line(line: str, offset: int) -> list[Span]:
    if len(line) < 3 or not re.search(r"[.!?;:。！？]", line[:-1]):
        pieces = [line]
    else:
        pieces = [str(piece) for piece in _segmenter().segment(line)]
    spans: list[Span] = []
    position = 0
    for piece in pieces:
        words = piece.strip()
        if not words:
            continue
        found = line.find(words, position)
        if found < 0:
            # The segmenter changed the characters: keep the rest of the line as one sentence.
            words = line[position:].strip()
            found = line.find(words, position)
            if words:
                spans.append(Span(offset + found, offset + found + len(words)))
            return spans
        spans.append(Span(offset + found, offset + found + len(words)))
        position = found + len(words)
    rest = line[position:].strip()
    if rest:
        found = line.find(rest, position)
        spans.append(Span(offset + found, offset + found + len(rest)))
    return spans
