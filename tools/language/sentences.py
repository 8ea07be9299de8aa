"""Sentences: where each begins and ends."""

import re
import threading
from collections.abc import Callable
from functools import lru_cache

import pysbd

from contracts.text import Span

# pysbd takes a unit or a number before the full stop for an initial or an abbreviation: "… is 1.5 V. The part …",
# "… number 3. Pump …". A line that begins with the number is an item of a list and stays whole.
_MISSED_END = re.compile(r"(?:(?<=\d [VAWKCFJTBNHmsgbh])|(?<=[a-z] \d)|(?<=[a-z] \d\d))[.!?]\s+(?=[A-Z][a-z]*\s)")

# pysbd is quadratic on very long lines; documents without sentence marks are cut to lines of this many characters.
_MAX_LINE_CHARACTERS = 4_000


class _Segmenter(threading.local):
    """A segmenter for each thread: it keeps the text that it works on in its own fields."""

    def __init__(self) -> None:
        self.segment: Callable[[str], list[str]] = pysbd.Segmenter(language="en", clean=False, char_span=False).segment


_SEGMENTER = _Segmenter()


@lru_cache(maxsize=4_096)
def split_sentences(text: str) -> tuple[Span, ...]:
    """Split ``text`` into sentences. A line end always ends one: lines are table rows, list items or headings.

    The spans are in order, do not overlap, hold no leading or trailing white space, and leave no word out.
    """
    spans: list[Span] = []
    for line in re.finditer(r"[^\n\r]+", text):
        start = line.start()
        while start < line.end():
            end = _cut(text, start, line.end())
            spans.extend(_split_line(text[start:end], start))
            start = end
    return tuple(spans)


def _cut(text: str, start: int, end: int) -> int:
    """Return where a line that begins at ``start`` is cut: at its end or, if it is too long, behind a word."""
    if end - start <= _MAX_LINE_CHARACTERS:
        return end
    space = text.rfind(" ", start, start + _MAX_LINE_CHARACTERS)
    return space + 1 if space > start else start + _MAX_LINE_CHARACTERS


def _missed_ends(piece: str) -> list[str]:
    ends = [match.end() for match in _MISSED_END.finditer(piece)]
    return [piece[a:b] for a, b in zip([0, *ends], [*ends, len(piece)], strict=True)]


def _split_line(line: str, offset: int) -> list[Span]:
    if len(line) < 3 or not re.search(r"[.!?;:。！？]", line[:-1]):
        pieces = [line]
    else:
        pieces = [part for piece in _SEGMENTER.segment(line) for part in _missed_ends(str(piece))]
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
