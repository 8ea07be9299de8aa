"""Text with its position in a document: spans, boxes on pages, blocks, documents, chunks and passages."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

# "rows" is a table without a header; only chunks are of this kind.
BlockKind = Literal["heading", "paragraph", "list", "table", "rows", "code", "caption", "notes"]
ChunkKind = Literal["passage", "section", "summary"]


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points, ``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBox:
    """A rectangle on a page, in points (1/72 inch), origin at the top left, y downwards; pages are counted from 1."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBox:
    """The place on the page of the characters at ``span`` in a text (a line or a word).

    For text that was read from a picture, ``confidences`` contains the confidence in [0, 1] of each word (separated by
    white space); for other text it is empty.
    """

    span: Span
    box: PageBox
    confidences: tuple[float, ...] = ()


def reading_confidence(boxes: Iterable[TextBox]) -> float | None:
    """Return the mean confidence in [0, 1] of all words in ``boxes``; None if no text was read from a picture."""
    words = [each for box in boxes for each in box.confidences]
    return sum(words) / len(words) if words else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a page: a heading, a paragraph, a list, a table, code and so on.

    The text of a table has one line per row, with cells separated by `` | ``, and begins with ``header_rows`` header
    rows. ``boxes`` are the positions of the characters of ``text``; formats without pages (Markdown, HTML) have none.
    """

    kind: BlockKind
    text: str
    page: int = 1
    level: int = 0
    header_rows: int = 0
    boxes: tuple[TextBox, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page, slide or sheet of a document.

    ``ocr_confidence`` is the mean word confidence in [0, 1] if OCR was run on the page, otherwise None. ``ocr_reason``
    is the reason why OCR was run ("it has no text layer"), even if the text layer was used in the end. Sizes are in
    points; 0 if the format has no pages.
    """

    number: int
    blocks: tuple[Block, ...]
    width_pt: float = 0.0
    height_pt: float = 0.0
    ocr_confidence: float | None = None
    ocr_reason: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document in the library. ``content_hash`` is the SHA-256 of the file's bytes in hexadecimal."""

    id: str
    name: str
    path: str
    media_type: str
    content_hash: str
    title: str
    pages: int
    size_bytes: int = 0
    group: str = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a document that is stored and searched.

    A ``passage`` (about 250 tokens) is retrieved and cited. A ``section`` (about 4,000 tokens) is stored only for its
    summary, and is not searched. A ``summary`` is the expert summary of a section; it is searched, but never cited.
    ``section_id`` is the section of a passage or summary. ``heading_path`` begins with the outermost heading. ``text``
    has no headings, except in a passage that spans several short sections: their headings, at ``headings``, are lines
    that do not belong to a sentence. ``code`` are the spans of preformatted parts, as marked by the text's format;
    text of other formats may contain unmarked code.
    """

    id: str
    document_id: str
    kind: ChunkKind
    ordinal: int
    text: str
    page: int
    last_page: int
    heading_path: tuple[str, ...] = ()
    headings: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()
    section_id: str | None = None
    block_kind: BlockKind = "paragraph"
    boxes: tuple[TextBox, ...] = ()
    document_title: str = ""

    @property
    def searchable_text(self) -> str:
        """The title, headings and text, which are embedded and indexed."""
        place = [part for part in (self.document_title, *self.heading_path) if part]
        return " > ".join(place) + "\n" + self.text if place else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage found by retrieval, with its document and scores.

    ``score`` is the fused retrieval score (higher is better; comparable only within one search). ``dense`` is the
    cosine similarity with the question, in [-1, 1]. ``sentences`` are the spans of the sentences or table rows in
    ``chunk.text``; citations refer to them by index.
    """

    chunk: Chunk
    document_name: str
    document_title: str
    score: float
    dense: float = 0.0
    sentences: tuple[Span, ...] = field(default=())

    @property
    def text(self) -> str:
        return self.chunk.text

    @property
    def page(self) -> int:
        """The page on which the passage begins, counted from 1."""
        return self.chunk.page

    def sentence(self, index: int) -> str:
        span = self.sentences[index]
        return self.chunk.text[span.start : span.end]
