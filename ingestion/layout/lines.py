"""Lines of text, and where the words of a line are on the page as shown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.layout.marks import is_list_number
from ingestion.layout.words import LayoutWord, Rectangle, extent, join_words, split_row, union

# The box around a horizontal line is at most this many times as high as its highest word.
_LEVEL = 1.7
_TOKEN = re.compile(r"\S+")
_HYPHENS = "-\u00ad\u2010"
_BAR = "¦"
_LINE_NUMBER = re.compile(r"\[?\d+\]?:?")
# For matching text with its words: superscripts become digits, brackets of footnote marks are removed.
_PLAIN = str.maketrans({**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–|", f"0123456789---{_BAR}", strict=True)), "[": None, "]": None})


@dataclass(frozen=True, slots=True)
class LinePart:
    """The characters ``start`` to ``end`` of a line, their position on the page as shown, and word confidences."""

    start: int
    end: int
    box: Rectangle
    confidences: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of one column, or part of a line between wide gaps. ``column`` is the horizontal extent of its column.

    ``parts`` place its text on the page as shown: in one box, or, if the line is slanted there, in several boxes, none
    of which reaches far into the lines above and below. ``mono_share`` is the share of fixed-width letters. ``hanging``
    means that a wide gap separates its first word, a list's number, from the rest.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    parts: tuple[LinePart, ...]
    size: float
    bold: bool
    mono_share: float
    column: tuple[float, float]
    hanging: bool = False

    @property
    def height(self) -> float:
        return self.bottom - self.top


def make_line(words: Sequence[LayoutWord], column: tuple[float, float]) -> TextLine:
    """Make the line of ``words`` (left to right); size and style are those of most of its characters."""
    x0, top, x1, bottom = extent(words)
    letters = sum(len(word.text) for word in words)
    sizes: dict[float, int] = {}
    for word in words:
        sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
    text = join_words(words)
    return TextLine(
        text=text,
        x0=x0,
        top=top,
        x1=x1,
        bottom=bottom,
        parts=place_words(text, words),
        size=max(sizes, key=lambda size: (sizes[size], size)),
        bold=sum(len(word.text) for word in words if word.bold) > 0.6 * letters,
        mono_share=_mono_share(words),
        column=column,
        hanging=len(words) > 1 and len(split_row(list(words[:2]))) > 1 and is_list_number(words[0].text),
    )


def _mono_share(words: Sequence[LayoutWord]) -> float:
    """Return the share of a line's letters that have a fixed width; symbols and the line's number do not count."""
    counted = [word for word in words if any(map(str.isalnum, word.text))] or list(words)
    if len(counted) > 1 and _LINE_NUMBER.fullmatch(counted[0].text):
        counted = counted[1:]
    return sum(len(word.text) for word in counted if word.mono) / sum(len(word.text) for word in counted)


def place_words(text: str, words: Sequence[LayoutWord]) -> tuple[LinePart, ...]:
    """Place ``text``, which was made from ``words``, on the page: in one part, or in several if it is slanted."""
    tokens = _tokens_of(text, words)
    if not tokens:
        return (LinePart(0, len(text), union(word.box for word in words)),)
    parts: list[list[LinePart]] = [[tokens[0]]]
    for token in tokens[1:]:
        if _is_level([*parts[-1], token]):
            parts[-1].append(token)
        else:
            parts.append([token])
    return tuple(
        LinePart(
            part[0].start,
            part[-1].end,
            union(token.box for token in part),
            tuple(confidence for token in part for confidence in token.confidences),
        )
        for part in parts
    )


def _tokens_of(text: str, words: Sequence[LayoutWord]) -> list[LinePart]:
    """Match the parts of ``text`` between white space with ``words``, whose hyphens may be missing; [] if they differ.

    Each part has the lowest confidence of its words. Text outside the words (the bars between cells) belongs to the
    part before it, and has its confidence.
    """
    letters = [(letter, word) for word in words for letter in word.text.translate(_PLAIN) if not letter.isspace()]
    tokens: list[LinePart] = []
    at = 0
    for match in _TOKEN.finditer(text):
        if match.group() == "|":
            if at < len(letters) and letters[at][0] == _BAR:
                at += 1
            if tokens:
                tokens.append(LinePart(match.start(), match.end(), tokens[-1].box, tokens[-1].confidences))
            continue
        found: list[LayoutWord] = []
        for letter in match.group().translate(_PLAIN):
            while at < len(letters) and letters[at][0] != letter and letters[at][0] in _HYPHENS:
                at += 1
            if at == len(letters) or letters[at][0] != letter:
                return []
            found.append(letters[at][1])
            at += 1
        if not found:
            continue
        sure = [word.confidence for word in found if word.confidence is not None]
        box = union(word.box for word in found)
        tokens.append(LinePart(match.start(), match.end(), box, (min(sure),) if sure else ()))
    return tokens


def _is_level(tokens: Sequence[LinePart]) -> bool:
    """Return whether the box around a row's boxes is not much higher than the highest (or wider, if rotated)."""
    boxes = [token.box for token in tokens]
    whole = union(boxes)
    width, height = whole[2] - whole[0], whole[3] - whole[1]
    if height > width:
        return width <= _LEVEL * max(box[2] - box[0] for box in boxes)
    return height <= _LEVEL * max(box[3] - box[1] for box in boxes)
