"""Words with their positions, the rows they are in, and how they are joined into text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.language import rarity

Rectangle = tuple[float, float, float, float]

# Gaps relative to the font size. A normal space is about .25 and rarely beyond .6 in justified text; style changes and
# subscripts inside one word leave almost none.
_SPACE_GAP = 0.12
_SEGMENT_GAP = 1.0
_OCR_LINES_GAP = 0.4
# The largest size of a sub- or superscript, relative to its word's size.
_SCRIPT = 0.85
_SCRIPT_OVERLAP = 0.15
_STRIPE_PT = 10.0
# Footnote marks, and units after which a small raised figure is an exponent.
_MARK = re.compile(r"^(?:[-−–]?\d{1,2}|[*†‡§]{1,3})$")
_EXPONENT_BASE = re.compile(r"(?:(?:^|[^\w.,])\d[\d.,]*|(?:^|[^A-Za-z])(?:[µmkcd]?m|s|Hz|in|ft|A|V|K|x|n|N))$")
# Chinese and Japanese, which are written without spaces.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SUPERSCRIPTS = str.maketrans("0123456789-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻")

_RARER = 0.1
_HYPHENATED = re.compile(r"([^\W\d_]{2,})[-\u00ad\u2010]$")
_NEXT_PART = re.compile(r"^([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class LayoutWord:
    """A word in the layout's coordinates (upright, straightened, points); ``box`` is its position on the page as shown.

    ``line`` is the number of its line according to the OCR engine (0: unknown), ``confidence`` in [0, 1] is how sure
    the engine is (None: the word was not read from a picture).
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

    @property
    def place(self) -> Rectangle:
        """Its position in the layout's coordinates."""
        return (self.x0, self.top, self.x1, self.bottom)


Segment = list[LayoutWord]


def union(rectangles: Iterable[Rectangle]) -> Rectangle:
    """Return the smallest rectangle around all of ``rectangles``."""
    x0s, tops, x1s, bottoms = zip(*rectangles, strict=True)
    return (min(x0s), min(tops), max(x1s), max(bottoms))


def is_inside(inner: Rectangle, box: Rectangle) -> bool:
    """Return whether the middle of ``inner`` is in ``box``."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def extent(words: Sequence[LayoutWord]) -> Rectangle:
    """Return the rectangle around words, in the layout's coordinates."""
    return union(word.place for word in words)


def group_rows(words: Sequence[LayoutWord]) -> list[Segment]:
    """Group words at the same height into rows across the page, top to bottom, each row sorted from left to right.

    A sub- or superscript belongs to the row that it overlaps by half its height, or by less if it is close to a larger
    word.
    """
    rows: list[Segment] = []
    spans: list[tuple[float, float]] = []
    near: dict[int, list[int]] = {}  # the rows that overlap each horizontal stripe of the page
    # Larger words first: they decide where rows are; smaller ones join them.
    for word in sorted(words, key=lambda each: (-round(each.bottom - each.top), each.top)):
        height = max(word.bottom - word.top, 0.1)
        best, best_overlap = -1, 0.0
        stripes = range(int(word.top // _STRIPE_PT), int(word.bottom // _STRIPE_PT) + 1)
        for index in sorted({index for stripe in stripes for index in near.get(stripe, ())}):
            top, bottom = spans[index]
            overlap = min(bottom, word.bottom) - max(top, word.top)
            if overlap > best_overlap:
                best, best_overlap = index, overlap
        near_enough = best_overlap >= 0.5 * height or (
            best_overlap >= _SCRIPT_OVERLAP * height and _is_script_of(word, rows[best])
        )
        if best >= 0 and near_enough and _fits(rows[best], word):
            rows[best].append(word)
        else:
            for stripe in stripes:
                near.setdefault(stripe, []).append(len(rows))
            rows.append([word])
            spans.append((word.top, word.bottom))
    order = sorted(range(len(rows)), key=lambda index: spans[index])
    return [sorted(rows[index], key=lambda each: each.x0) for index in order]


def _is_script_of(word: LayoutWord, row: Segment) -> bool:
    """Return whether a small word closely follows a larger one in the row, as its sub- or superscript."""
    return word.confidence is None and any(
        word.size < _SCRIPT * other.size and abs(word.x0 - other.x1) < _SPACE_GAP * other.size for other in row
    )


def _fits(row: Segment, word: LayoutWord) -> bool:
    # A big word (a drop cap, a diagram's label) spans several rows of small text: it must not merge them.
    if row[0].bottom - row[0].top > 2.2 * max(word.bottom - word.top, 0.1):
        return False
    # Words one above the other are in different rows, even if tightly set; but a raised letter may be above others.
    width = word.x1 - word.x0
    return not any(
        (word.size >= _SCRIPT * other.size or word.confidence is not None)
        and min(other.x1, word.x1) - max(other.x0, word.x0) > 0.6 * min(width, other.x1 - other.x0)
        for other in row
    )


def split_row(row: Segment, least_gap: float = _SEGMENT_GAP) -> list[Segment]:
    """Split a row at gaps wider than ``least_gap``, relative to the font size."""
    segments: list[Segment] = [[row[0]]]
    for before, word in pairwise(row):
        # If an OCR engine found two lines, even a gap much smaller than one between columns separates them.
        least = least_gap if before.line == word.line else _OCR_LINES_GAP
        if word.x0 - before.x1 > least * max(min(before.size, word.size), 4.0):
            segments.append([])
        segments[-1].append(word)
    return segments


def join_words(words: Sequence[LayoutWord]) -> str:
    """Join the words of one line; parts of a word that a change of style split are joined again.

    Small raised figures are written as exponents after numbers and units (m², 10⁻³), elsewhere as footnote marks:
    "pressure[1]".
    """
    text = ""
    before: LayoutWord | None = None
    marked = False
    for index, word in enumerate(words):
        if before is not None and (marked or _is_apart(before, word)):
            text += " "
        after = words[index + 1] if index + 1 < len(words) else None
        raised = _raised(word, before, after)
        text += raised or word.text
        # The mark before a footnote is close to its first word.
        marked = bool(raised) and index == 0
        before = word
    return text


def _is_apart(before: LayoutWord, word: LayoutWord) -> bool:
    if before.line == word.line > 0 and not (_UNSPACED.search(before.text) and _UNSPACED.search(word.text)):
        # An OCR engine has separated the words of its line; its boxes may touch.
        return True
    return word.x0 - before.x1 > _SPACE_GAP * min(before.size, word.size)


def _raised(word: LayoutWord, before: LayoutWord | None, after: LayoutWord | None) -> str:
    """Return the text of a raised figure; "" for other words."""
    if word.confidence is not None or not _MARK.match(word.text):
        return ""
    beside = before if before is not None and word.x0 - before.x1 < 0.5 * before.size else after
    if beside is None or word.size > 0.8 * beside.size or beside.bottom - word.bottom < 0.12 * beside.size:
        return ""
    if beside is before and _EXPONENT_BASE.search(before.text) and word.text not in "*†‡§":
        return word.text.translate(_SUPERSCRIPTS)
    return f"[{word.text}]"


def append_line(text: str, line: str) -> str:
    """Append a line of a paragraph to its text, undoing a hyphenation at the line's end.

    "mem-" + "ory" becomes "memory", "high-" + "speed" stays "high-speed": if the joined word is as common as the rarer
    of its parts, or a part is not a word, the hyphen came from the typesetter.
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
