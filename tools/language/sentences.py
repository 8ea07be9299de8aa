"""Splits text into sentences, finds pieces of text, and cuts text at sentence ends."""

import re
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import pysbd
from pysbd.lang.common.standard import Standard

from contracts.text import Span

# pysbd mistakes a unit or number before a full stop for an initial or an abbreviation: "… is 1.5 V. The part …",
# "… number 3. Pump …". A line that begins with a number is a list item and is not split here.
_MISSED_END = re.compile(r"(?:(?<=\d [VAWKCFJTBNHmsgbh])|(?<=[a-z] \d)|(?<=[a-z] \d\d))[.!?]\s+(?=[A-Z][\w-]*\s)")

# pysbd takes some milliseconds per line, but most prose does not need it: it consists of words, numbers and plain
# brackets, and its full stops can only end a sentence or be part of a number. In such lines, sentence ends are found
# directly, with the same result as from pysbd.
_PLAIN = re.compile(
    r"(?:[A-Za-zÀ-ÖØ-öø-ÿ\d_ ,;:()\[\]/%+=<>*#^~$€§°±×≤≥²³–—-]|(?<=[A-Za-z])'(?=[A-Za-z])|\.(?=[ \d]|\Z))+"
)
_IN_NUMBER = re.compile(r"(?<=\d)\.(?=\d)")
_PLAIN_END = re.compile(r"(?:(?<=[A-Za-z]{3})|(?<=[A-Za-z]\d)|(?<=\d{3})|(?<=[\])%]))\.(?= [A-Z])")
_LAST = re.compile(r"(?<=[A-Za-z0-9\])%])\.\Z")
# Possible list items, and brackets that are not closed, or that contain or begin a sentence end.
_NOT_PLAIN = re.compile(
    r"--|(?:^|[\s(])(?:[A-Za-z]|[ivxIVX]+)\)|\d\)\s.*\d\)\s|(?:^|\. )[\s(\[]|\([^()]*(?:\(|\.\s|\.\)|$)|"
    r"\[[^\[\]]*(?:\[|\.\s|\.\]|$)"
)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)\.")
_ABBREVIATIONS = frozenset(Standard.Abbreviation.ABBREVIATIONS)

_SIGNS = frozenset("._<>/\\$%{}=&@#*~+|-")
_DOT_OF_NAME = re.compile(r"(?:^|\s)\.\Z")
# The dots in "find . -name" and "ls .. | sort" are folders, unless a capital letter begins a sentence after them.
_FOLDER = re.compile(r"(?:^|\s)\.{1,2}\s+\Z")
# The number of an item at the beginning of a table cell: "| 1. backup | 5 kB |".
_NUMBER_IN_CELL = re.compile(r"\|\s*\(?\w{1,3}[.)]\s+\Z")

# pysbd takes quadratic time for very long lines, so text without sentence ends is cut into lines of this length.
_MAX_LINE_CHARACTERS = 4_000


class _Segmenter(threading.local):
    """One segmenter per thread, because it stores the current text in its fields."""

    def __init__(self) -> None:
        self._segmenter = pysbd.Segmenter(language="en", clean=False, char_span=False)

    def segment(self, text: str) -> Iterator[str]:
        """Yield the sentences that pysbd finds in ``text``, unchanged, each including the space after it.

        pysbd's own method of locating sentences compiles a pattern from each, which takes longer than everything else.
        """
        last = 0
        for sentence in self._segmenter.processor(text).process():
            start = text.find(sentence)
            while start >= 0:
                end = start + len(sentence)
                end += len(text) - end - len(text[end:].lstrip())
                if end > last:
                    last = end
                    yield text[start:end]
                    break
                start = text.find(sentence, end)


_SEGMENTER = _Segmenter()


@lru_cache(maxsize=4_096)
def split_sentences(text: str) -> tuple[Span, ...]:
    """Split ``text`` into sentences. A line end always ends a sentence, because lines are rows, items or headings.

    The spans are in order, do not overlap, have no leading or trailing white space, and include all words.
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
    """Return the end of a line that begins at ``start``; a line that is too long is cut after a sentence or a word."""
    if end - start <= _MAX_LINE_CHARACTERS:
        return end
    limit = start + _MAX_LINE_CHARACTERS
    sentence, word = text.rfind(". ", start, limit), text.rfind(" ", start, limit)
    cut = sentence if sentence > start else word
    return cut + 1 if cut > start else limit


def is_plain(line: str) -> bool:
    """Return whether all full stops in ``line`` end sentences or are in numbers, and no other mark ends a sentence."""
    if not _PLAIN.fullmatch(line) or _NOT_PLAIN.search(line):
        return False
    stops = len(_PLAIN_END.findall(line)) + len(_IN_NUMBER.findall(line)) + len(_LAST.findall(line))
    if stops != line.count("."):
        return False
    return not any(word.lower() in _ABBREVIATIONS for word in _WORD_BEFORE.findall(line))


def _with_dotted_names(pieces: Iterable[str]) -> list[str]:
    """Join pieces that pysbd cut inside a name: "Edit the . | profile.", "Read *. | conf.", "Run find . | -print."."""
    joined: list[str] = []
    for piece in pieces:
        before = joined[-1] if joined else " "
        # A sentence does not begin with a lowercase letter or a sign directly after another sentence.
        begins_none = piece[0].islower() or piece[0] in _SIGNS or _DOT_OF_NAME.search(before)
        behind_folder = _FOLDER.search(before) and not piece[0].isupper()
        if behind_folder or _NUMBER_IN_CELL.search(before) or (begins_none and not before[-1].isspace()):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _missed_ends(piece: str) -> list[str]:
    ends = [match.end() for match in _MISSED_END.finditer(piece)]
    return [piece[a:b] for a, b in zip([0, *ends], [*ends, len(piece)], strict=True)]


def _split_line(line: str, offset: int) -> list[Span]:
    if len(line) < 3 or not re.search(r"[.!?;:。！？]", line[:-1]):
        pieces = [line]
    elif is_plain(line):
        ends = [match.end() for match in _PLAIN_END.finditer(line)]
        pieces = [line[a:b] for a, b in pairwise([0, *ends, len(line)])]
    else:
        pieces = [part for piece in _with_dotted_names(_SEGMENTER.segment(line)) for part in _missed_ends(piece)]
    spans: list[Span] = []
    position = 0
    for piece in pieces:
        words = piece.strip()
        if not words:
            continue
        found = line.find(words, position)
        if found < 0:
            # The segmenter changed the characters, so the rest of the line is one sentence.
            break
        spans.append(Span(offset + found, offset + found + len(words)))
        position = found + len(words)
    rest = line[position:].strip()
    if rest:
        found = line.find(rest, position)
        spans.append(Span(offset + found, offset + found + len(rest)))
    return spans


def find_piece(piece: str, text: str) -> Span | None:
    """Find ``piece`` in ``text`` as whole words, with any white space between them; None if it is not found."""
    words = piece.split()
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words)
    start = r"(?<!\w)" if words[0][0].isalnum() else ""
    end = r"(?!\w)" if words[-1][-1].isalnum() else ""
    match = re.search(start + pattern + end, text)
    return Span(*match.span()) if match else None


def cut_at_sentences(text: str, max_characters: int) -> tuple[str, ...]:
    """Cut a text at sentence ends into pieces of a maximum length; a longer sentence is a separate piece.

    A text without words has no pieces.
    """
    pieces: list[str] = []
    start = end = 0
    for span in split_sentences(text):
        if end > start and span.end - start > max_characters:
            pieces.append(text[start:end])
            start = span.start
        end = span.end
    if end > start:
        pieces.append(text[start:end])
    return tuple(piece for piece in pieces if piece.strip())
