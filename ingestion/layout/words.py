"""Words with their places, and the lines they form."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.language import rarity

Rectangle = tuple[float, float, float, float]

# Gaps in parts of the font size. A normal space is about .25 and rarely beyond .6 in justified text; style changes and
# subscripts inside one word leave almost none.
_SPACE_GAP = 0.12
_SEGMENT_GAP = 1.0
_OCR_LINES_GAP = 0.4
# How much higher than its highest word the box around a level line is at most.
_LEVEL = 1.7
_TOKEN = re.compile(r"\S+")
_HYPHENS = "-\u00ad\u2010"


@dataclass(frozen=True, slots=True)
class LayoutWord:
    """A word where the layout sees it (upright, straightened, points), with ``box``, its place on the page as shown.

    ``line`` numbers the line that an OCR engine put it in (0: unknown), ``confidence`` says how surely it was read in
    [0, 1] (None: it was not read from a picture).
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    box: Rectangle
    size: float
    bold: bool = False
    mono: bool = False
    line: int = 0
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class LinePart:
    """The characters ``start`` to ``end`` of a line, their place on the page as shown, the confidences of the words."""

    start: int
    end: int
    box: Rectangle
    confidences: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of one column, or part of a line between wide gaps. ``column`` is the horizontal extent of its column.

    ``parts`` place its text on the page as shown: as a whole, or, where the line is slanted there, in several boxes,
    of which none reaches far into the lines above and below.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    parts: tuple[LinePart, ...]
    size: float
    bold: bool
    mono: bool
    column: tuple[float, float]

    @property
    def height(self) -> float:
        """The line's height in points."""
        return self.bottom - self.top


Segment = list[LayoutWord]


def union(rectangles: Iterable[Rectangle]) -> Rectangle:
    """Return the smallest rectangle around all of ``rectangles``."""
    x0s, tops, x1s, bottoms = zip(*rectangles, strict=True)
    return (min(x0s), min(tops), max(x1s), max(bottoms))


def extent(words: Sequence[LayoutWord]) -> Rectangle:
    """Return the rectangle around words, in the layout's coordinates."""
    return (
        min(word.x0 for word in words),
        min(word.top for word in words),
        max(word.x1 for word in words),
        max(word.bottom for word in words),
    )


def group_rows(words: Sequence[LayoutWord]) -> list[Segment]:
    """Group words that stand at one height, wherever on the page, top to bottom; each row from left to right.

    A sub- or superscript belongs to the row that it overlaps by half of its height.
    """
    rows: list[Segment] = []
    spans: list[tuple[float, float]] = []
    # Larger words first: they decide where rows are, smaller ones join them.
    for word in sorted(words, key=lambda each: (-round(each.bottom - each.top), each.top)):
        height = max(word.bottom - word.top, 0.1)
        best, best_overlap = -1, 0.0
        for index in range(len(rows)):
            top, bottom = spans[index]
            overlap = min(bottom, word.bottom) - max(top, word.top)
            if overlap > best_overlap:
                best, best_overlap = index, overlap
        if best >= 0 and best_overlap >= 0.5 * height and _fits(rows[best], word):
            rows[best].append(word)
        else:
            rows.append([word])
            spans.append((word.top, word.bottom))
    order = sorted(range(len(rows)), key=lambda index: spans[index])
    return [sorted(rows[index], key=lambda each: each.x0) for index in order]


def _fits(row: Segment, word: LayoutWord) -> bool:
    # A big word (a drop cap, a diagram's label) spans several rows of small text: it must not swallow them.
    if row[0].bottom - row[0].top > 2.2 * max(word.bottom - word.top, 0.1):
        return False
    # Two words one above the other are of two rows, however tightly these are set.
    width = word.x1 - word.x0
    return not any(
        min(other.x1, word.x1) - max(other.x0, word.x0) > 0.6 * min(width, other.x1 - other.x0) for other in row
    )


def split_row(row: Segment) -> list[Segment]:
    """Part a row at its wide gaps."""
    segments: list[Segment] = [[row[0]]]
    for before, word in pairwise(row):
        # Where an OCR engine saw two lines, a gap much smaller than between columns parts them.
        least = _SEGMENT_GAP if before.line == word.line else _OCR_LINES_GAP
        if word.x0 - before.x1 > least * max(min(before.size, word.size), 4.0):
            segments.append([])
        segments[-1].append(word)
    return segments


def join_words(words: Sequence[LayoutWord]) -> str:
    """Write the words of one line; parts of a word that a change of style parted are put together again."""
    text = ""
    before: LayoutWord | None = None
    for word in words:
        if before is not None and word.x0 - before.x1 > _SPACE_GAP * min(before.size, word.size):
            text += " "
        text += word.text
        before = word
    return text


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
        mono=sum(len(word.text) for word in words if word.mono) > 0.6 * letters,
        column=column,
    )


def place_words(text: str, words: Sequence[LayoutWord]) -> tuple[LinePart, ...]:
    """Place ``text``, which was written of ``words``, on the page: in one part, or in several where it is slanted."""
    tokens = _tokens_of(text, words)
    if not tokens:
        return (LinePart(0, len(text), union(word.box for word in words)),)
    parts: list[list[_Token]] = [[tokens[0]]]
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
            tuple(token.confidence for token in part if token.confidence is not None),
        )
        for part in parts
    )


@dataclass(frozen=True, slots=True)
class _Token:
    """A part of a text between white space, with the box and the least confidence of the words it is made of."""

    start: int
    end: int
    box: Rectangle
    confidence: float | None


def _tokens_of(text: str, words: Sequence[LayoutWord]) -> list[_Token]:
    """Match the parts of ``text`` between white space with ``words``, whose hyphens may be gone; [] where they differ.

    What no word holds (the bars between cells) goes with the part before it, as surely read as that.
    """
    letters = [(letter, word) for word in words for letter in word.text if not letter.isspace()]
    tokens: list[_Token] = []
    at = 0
    for match in _TOKEN.finditer(text):
        if match.group() == "|":
            if tokens:
                tokens.append(_Token(match.start(), match.end(), tokens[-1].box, tokens[-1].confidence))
            continue
        found: list[LayoutWord] = []
        for letter in match.group():
            while at < len(letters) and letters[at][0] != letter and letters[at][0] in _HYPHENS:
                at += 1
            if at == len(letters) or letters[at][0] not in (letter, "|"):
                return []
            found.append(letters[at][1])
            at += 1
        sure = [word.confidence for word in found if word.confidence is not None]
        box = union(word.box for word in found)
        tokens.append(_Token(match.start(), match.end(), box, min(sure) if sure else None))
    return tokens


def _is_level(tokens: Sequence[_Token]) -> bool:
    """Say whether the boxes of words in a row make a box not much higher than the highest (or wider, if turned)."""
    boxes = [token.box for token in tokens]
    whole = union(boxes)
    width, height = whole[2] - whole[0], whole[3] - whole[1]
    if height > width:
        return width <= _LEVEL * max(box[2] - box[0] for box in boxes)
    return height <= _LEVEL * max(box[3] - box[1] for box in boxes)


_RARER = 0.1
_HYPHENATED = re.compile(r"([^\W\d_]{2,})[-\u00ad\u2010]$")
_NEXT_PART = re.compile(r"^([^\W\d_]+)")


def append_line(text: str, line: str) -> str:
    """Append a line of a paragraph to its text, undoing a hyphenation at the line's end.

    "mem-" + "ory" becomes "memory", "high-" + "speed" stays "high-speed": where the joined word is as common as the
    rarer of its parts, or a part is no word at all, the hyphen was the typesetter's.
    """
    if not text:
        return line
    first, second = _HYPHENATED.search(text), _NEXT_PART.match(line)
    if text.endswith("\u00ad") and second:
        return text[:-1] + line
    if first and second and second.group(1)[0].islower():
        joined = rarity(first.group(1) + second.group(1))
        parts = max(rarity(first.group(1)), rarity(second.group(1)))
        return (text[:-1] if parts >= 1.0 or joined <= parts + _RARER else text) + line
    if re.search(r"\w[-\u2010/]$", text) and re.match(r"\w", line):
        return text + line
    return f"{text} {line}"
