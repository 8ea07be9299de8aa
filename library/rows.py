"""Converts rows of the library's tables from and to values in ``contracts``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row

from contracts.text import Chunk, Document, PageBox, Span, TextBox
from library.tokenization import words_of

Matrix = NDArray[np.float32]

# Little-endian, so that vectors have the same bytes on every machine.
_STORED = np.dtype("<f4")


_DOCUMENT = ("id", "name", "path", "media_type", "content_hash", "title", "pages", "size_bytes")
_CHUNK = (
    "id", "document_id", "kind", "ordinal", "text", "page", "last_page", "section_id", "block_kind", "document_title",
)  # fmt: skip


def row_of_document(document: Document) -> dict[str, Any]:
    """Return ``document`` as a row."""
    return {**{name: getattr(document, name) for name in _DOCUMENT}, "access_group": document.group}


def document_of(row: Row[Any]) -> Document:
    """Return the document in ``row``."""
    return Document(**{name: getattr(row, name) for name in _DOCUMENT}, group=row.access_group)


def row_of_chunk(chunk: Chunk, *, searched: bool) -> dict[str, Any]:
    """Return ``chunk`` as a row, with the words for the lexical index if it is ``searched``."""
    return {
        **{name: getattr(chunk, name) for name in _CHUNK},
        "heading_path": list(chunk.heading_path),
        "headings": [[each.start, each.end] for each in chunk.headings],
        "code": [[each.start, each.end] for each in chunk.code],
        "boxes": [_numbers(each) for each in chunk.boxes],
        "words": " ".join(words_of(chunk.searchable_text)) if searched else None,
    }


def chunk_of(row: Row[Any]) -> Chunk:
    """Return the chunk in ``row``."""
    return Chunk(
        **{name: getattr(row, name) for name in _CHUNK},
        heading_path=tuple(row.heading_path),
        headings=tuple(Span(start, end) for start, end in row.headings),
        code=tuple(Span(start, end) for start, end in row.code),
        boxes=tuple(_text_box(each) for each in row.boxes),
    )


def _numbers(placed: TextBox) -> list[float]:
    box = placed.box
    place = [placed.span.start, placed.span.end, box.page, box.x0, box.top, box.x1, box.bottom]
    # Whole percentages are short, and precise enough for a confidence.
    return place + [round(100 * each) for each in placed.confidences]


def _text_box(numbers: Sequence[float]) -> TextBox:
    start, end, page, x0, top, x1, bottom, *percents = numbers
    box = PageBox(page=int(page), x0=x0, top=top, x1=x1, bottom=bottom)
    return TextBox(span=Span(int(start), int(end)), box=box, confidences=tuple(each / 100 for each in percents))


def vector_rows(ids: Sequence[str], vectors: NDArray[np.float32], embedder: str) -> list[dict[str, Any]]:
    """Return one row with a vector for each of ``ids``."""
    return [
        {"chunk_id": chunk_id, "embedder": embedder, "vector": vector.tobytes()}
        for chunk_id, vector in zip(ids, np.asarray(vectors, dtype=_STORED), strict=True)
    ]


def vectors_of(stored: Sequence[bytes]) -> Matrix:
    """Return the vectors in ``stored`` (not empty), shape ``(len(stored), dimensions)``."""
    return np.frombuffer(b"".join(stored), dtype=_STORED).astype(np.float32, copy=False).reshape(len(stored), -1)
