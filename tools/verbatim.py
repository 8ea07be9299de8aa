"""Verbatim text: finds where a sentence of an answer occurs word for word in the passages."""

import re
from collections.abc import Sequence
from functools import lru_cache

from contracts.text import Passage, Span
from tools.tables.table import split_cells

# Markers of lists, tables and code blocks, which come from the writer and not from the source.
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*[-*•◦▪●‣·+–—]\s+", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?=[\W_])")
# Fewer words than this have no meaning of their own and occur in many places.
_FEWEST_WORDS = 3


def find_verbatim(sentence: str, passages: Sequence[Passage]) -> tuple[int, tuple[int, ...]] | None:
    """Return the index of the first passage that contains ``sentence`` word for word, and of its sentences there.

    White space and Markdown syntax are ignored; for a table row, some of its cells in order are enough. Return None if
    no passage contains the sentence, or if it has fewer than three words and is not a whole line.
    """
    wanted = " ".join(_plain(sentence).split())
    cells = [cell for cell in split_cells(wanted) if cell] if _is_row(sentence) else []
    is_short = len(wanted.split(" ")) < _FEWEST_WORDS
    for index, passage in enumerate(passages):
        for line in re.finditer(r"[^\n]+", passage.text) if is_short or len(cells) > 1 else ():
            if _holds(line.group(), wanted, cells):
                return index, _covered(passage.sentences, line.start(), line.end())
        if is_short:
            continue
        words, starts, text = _words(passage.text)
        at = f" {text} ".find(f" {wanted} ")
        if at >= 0:
            first = starts.index(at)
            last = first + len(wanted.split(" ")) - 1
            return index, _covered(passage.sentences, words[first].start, words[last].end)
    return None


def _holds(line: str, wanted: str, cells: Sequence[str]) -> bool:
    """Return whether a line in a passage is ``wanted`` (not empty), or a row that contains ``cells`` in order."""
    left = iter(split_cells(line))
    return bool(wanted) and (
        " ".join(_plain(line).split()) == wanted or (len(cells) > 1 and all(c in left for c in cells))
    )


@lru_cache(maxsize=256)
def _words(text: str) -> tuple[tuple[Span, ...], tuple[int, ...], str]:
    """Return the words in a passage, their starts in the text with single spaces, and that text."""
    kept = _BULLET.sub(lambda match: " " * len(match.group()), text)
    words = tuple(Span(match.start(), match.end()) for match in re.finditer(r"\S+", kept))
    starts, position = [], 0
    for word in words:
        starts.append(position)
        position += word.end - word.start + 1
    return words, tuple(starts), " ".join(kept[word.start : word.end] for word in words)


def _plain(sentence: str) -> str:
    text = _BULLET.sub("", _ESCAPE.sub("", _FENCE.sub("", sentence))).strip()
    return text[1:-1].strip() if _is_row(text) else text


def _is_row(text: str) -> bool:
    return text.strip().startswith("|") and text.strip().endswith("|")


def _covered(sentences: Sequence[Span], start: int, end: int) -> tuple[int, ...]:
    return tuple(number for number, span in enumerate(sentences) if span.start < end and start < span.end)
