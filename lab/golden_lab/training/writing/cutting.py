"""The passages of a document: our own chunks, or pieces of its text by characters."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from contracts.text import Chunk, Document, Passage, Span
from golden_lab.training.data.passages import PassageSource
from tools.language import fold, split_sentences
from tools.reading.tables import is_table_line

# Source: "A Passage-Based Question Answering System" (Vedic PBQA), section 3.2.
CHARACTERS, OVERLAP = 1_000, 200
# A passage of fewer letters is a heading or the end of something.
_FEWEST_LETTERS = 40
_REPEATED_TIMES, _REPEATED_WORDS = 3, 14
_PAGE_NUMBER = re.compile(r"^\d+\b|\b\d+$|(?<=\bpage )\d+|(?<=\bsheet )\d+|(?<=\bslide )\d+")
# So much of a passage's end finds it again in its section: what it repeats of others stands at its begin.
_TAIL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePassage:
    """A passage with where it stands.

    ``headless`` is how many of its first characters are rows of a table whose header stands in the passage before.
    ``repeated`` are lines of it that its document repeats, as pages repeat what is printed on each.
    """

    passage: Passage
    source: PassageSource
    headless: int = 0
    repeated: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """Where it stands, in one line."""
        return f"{self.source.document}\0{self.source.chunk}\0{self.source.start}\0{self.source.end}"


def chunk_passages(document: Document, name: str, chunks: Sequence[Chunk]) -> tuple[SourcePassage, ...]:
    """Return the passages of a document as they are searched; ``name`` tells the document apart from all others."""
    repeated = _repeated(_text_of(chunks)[0])
    return tuple(
        SourcePassage(
            passage=_passage(document, chunk),
            source=PassageSource(
                document=name, page=chunk.page, last_page=chunk.last_page, chunk=chunk.id, start=0, end=0
            ),
            repeated=_lines(chunk.text) & repeated,
        )
        for chunk in chunks
        if chunk.kind == "passage" and _says_something(chunk.text)
    )


def character_passages(
    document: Document, name: str, chunks: Sequence[Chunk], *, size: int = CHARACTERS, overlap: int = OVERLAP
) -> tuple[SourcePassage, ...]:
    """Cut the text of a document into pieces of at most ``size`` characters, which overlap by at most ``overlap``.

    A piece begins and ends at a sentence or a line where one ends within the overlap, else at a word. The text is that
    of the document's sections, one after the other, with their headings.
    """
    text, stretches = _text_of(chunks)
    repeated = _repeated(text)
    found = []
    for number, span in enumerate(_pieces(text, size, overlap)):
        piece = text[span.start : span.end]
        if not _says_something(piece):
            continue
        page, last_page = _pages(stretches, span)
        chunk = Chunk(
            id="", document_id=document.id, kind="passage", ordinal=number, text=piece, page=page, last_page=last_page,
            document_title=document.title,
        )  # fmt: skip
        source = PassageSource(document=name, page=page, last_page=last_page, start=span.start, end=span.end)
        found.append(
            SourcePassage(
                passage=_passage(document, chunk),
                source=source,
                headless=_headless(text, span),
                repeated=_lines(piece) & repeated,
            )
        )
    return tuple(found)


def line_mark(line: str) -> str:
    """Return a line as it is compared: a number of pages, which counts up, is as any other."""
    return _PAGE_NUMBER.sub("0", fold(" ".join(line.split())))


def _lines(text: str) -> frozenset[str]:
    return frozenset(line_mark(line) for line in text.splitlines())


def _repeated(text: str) -> frozenset[str]:
    """Return the lines, rows of tables and long ones aside, that stand often in a text."""
    lines = (line for line in text.splitlines() if "|" not in line and 0 < len(line.split()) <= _REPEATED_WORDS)
    marks = Counter(map(line_mark, lines))
    return frozenset(mark for mark, times in marks.items() if times >= _REPEATED_TIMES)


def _passage(document: Document, chunk: Chunk) -> Passage:
    return Passage(
        chunk=chunk,
        document_name=document.name,
        document_title=document.title,
        score=0.0,
        sentences=split_sentences(chunk.text),
    )


def _says_something(text: str) -> bool:
    return sum(letter.isalpha() for letter in text) >= _FEWEST_LETTERS


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of a document's text, and the pages that it stands on."""

    span: Span
    page: int
    last_page: int


def _text_of(chunks: Sequence[Chunk]) -> tuple[str, list[_Stretch]]:
    """Return a document's text, section by section with their headings, and which pages its parts stand on."""
    passages: dict[str | None, list[Chunk]] = {}
    for chunk in chunks:
        if chunk.kind == "passage":
            passages.setdefault(chunk.section_id, []).append(chunk)
    text = ""
    before: tuple[str, ...] = ()
    stretches: list[_Stretch] = []
    for section in (chunk for chunk in chunks if chunk.kind == "section"):
        pairs = zip(before, section.heading_path, strict=False)
        known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        headings = section.heading_path[known:]
        before = section.heading_path
        opening = ("\n\n" if text else "") + "".join(f"{heading}\n\n" for heading in headings)
        for piece, page, last_page in _parts(section, passages.get(section.id, [])):
            start = len(text)
            text += opening + piece
            stretches.append(_Stretch(Span(start, len(text)), page, last_page))
            opening = ""
    return text, stretches


def _parts(section: Chunk, passages: Sequence[Chunk]) -> Iterator[tuple[str, int, int]]:
    """Cut a section's text where its passages end: each part with the pages that it stands on, as far as known."""
    start = 0
    page, last_page = section.page, section.page
    earlier: Chunk | None = None
    for chunk in passages:
        tail = chunk.text[-_TAIL:]
        at = section.text.find(tail, start)
        if at < 0:
            continue
        part = section.text[start : at + len(tail)]
        # A table that was cut goes on without the empty line that stands between passages.
        same = earlier is not None and earlier.block_kind == chunk.block_kind == "table"
        if same and earlier is not None and earlier.text.split("\n", 1)[0] == chunk.text.split("\n", 1)[0]:
            part = "\n" + part.lstrip("\n")
        start, earlier, page, last_page = at + len(tail), chunk, chunk.page, chunk.last_page
        yield part, page, last_page
    if start < len(section.text):
        yield section.text[start:], last_page, section.last_page


def _pages(stretches: Sequence[_Stretch], span: Span) -> tuple[int, int]:
    inside = [each for each in stretches if each.span.start < span.end and span.start < each.span.end]
    return min((each.page for each in inside), default=1), max((each.last_page for each in inside), default=1)


def _pieces(text: str, size: int, overlap: int) -> Iterator[Span]:
    ends = _ends(text)
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > size:
            end = _last_end(text, ends, start + size - overlap, start + size)
        yield Span(start, start + len(text[start:end].rstrip()))
        if end >= len(text):
            return
        start = _first_end(text, ends, max(end - overlap, start + 1), end)


def _ends(text: str) -> list[int]:
    """Return where sentences and lines end, behind their white space: a piece may begin there."""
    sentences = [second.start for first, second in pairwise(split_sentences(text)) if first.end <= second.start]
    return sorted({*sentences, *(match.end() for match in re.finditer(r"\n\s*", text))})


def _last_end(text: str, ends: Sequence[int], low: int, high: int) -> int:
    at = bisect_right(ends, high) - 1
    if at >= 0 and ends[at] > low:
        return ends[at]
    space = max(text.rfind(" ", low, high), text.rfind("\n", low, high))
    return space + 1 if space > low else high


def _first_end(text: str, ends: Sequence[int], low: int, high: int) -> int:
    at = bisect_left(ends, low)
    if at < len(ends) and ends[at] <= high:
        return ends[at]
    match = re.search(r"\s+", text[low:high])
    return low + match.end() if match else high


def _headless(text: str, span: Span) -> int:
    """Return how many characters at a piece's begin are rows of a table that began before it."""
    line = text.rfind("\n", 0, span.start) + 1
    before = text[line : span.start] or text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : max(line - 1, 0)]
    if not is_table_line(before) and "|" not in before:
        return 0
    length = 0
    for row in text[span.start : span.end].splitlines(keepends=True):
        if not is_table_line(row) and (length or line == span.start):
            break
        length += len(row)
    return length
