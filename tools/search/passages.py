"""Converts chunks to passages with sentences, and removes repeated chunks."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from contracts.text import Chunk, Document, Passage, Span
from tools.language import find_words, fold, split_sentences

_SHINGLE_WORDS = 4
# Neighbouring chunks share some sentences; a chunk is dropped only if nearly all of it is in another chunk.
_CONTAINED = 0.8


def without_repeats(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield ``chunks`` in order, without chunks that repeat an earlier one.

    A chunk is a repeat if it has the same text as an earlier chunk in any document, or if nearly all of its word
    sequences are in an earlier chunk of the same document. A chunk with a number that the earlier chunk lacks is not a
    repeat, because two table rows may differ only in their numbers.
    """
    kept: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    texts: set[str] = set()
    for chunk in chunks:
        text, shingles, numbers = _fingerprint(chunk.text)
        if text in texts:
            continue
        earlier = kept.setdefault(chunk.document_id, [])
        least = _CONTAINED * len(shingles)
        if any(numbers <= theirs and len(shingles & within) >= least for within, theirs in earlier):
            continue
        texts.add(text)
        earlier.append((shingles, numbers))
        yield chunk


# Consecutive questions often find the same passages; each takes about 20 KB.
@lru_cache(maxsize=512)
def _fingerprint(text: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Return the folded text, its word sequences, and its words with digits."""
    words = [fold(word.text) for word in find_words(text)]
    shingles = frozenset(
        " ".join(words[start : start + _SHINGLE_WORDS]) for start in range(max(1, len(words) - _SHINGLE_WORDS + 1))
    )
    return fold(text), shingles, frozenset(word for word in words if any(letter.isdigit() for letter in word))


def passage_of(chunk: Chunk, document: Document, *, score: float = 0.0, dense: float = 0.0) -> Passage:
    """Return a chunk in ``document`` as a passage with its sentences."""
    return Passage(
        chunk=chunk,
        document_name=document.name,
        document_title=document.title,
        score=score,
        dense=dense,
        sentences=sentences_in(chunk),
    )


def sentences_in(chunk: Chunk) -> tuple[Span, ...]:
    """Return the sentences in a chunk's text, in order; each table row is one sentence."""
    return split_sentences(chunk.text) if chunk.block_kind not in ("table", "rows") else _split_rows(chunk.text)


# Consecutive questions often find the same passages.
@lru_cache(maxsize=4_096)
def _split_rows(text: str) -> tuple[Span, ...]:
    # A table row is one statement, whatever punctuation its cells contain.
    spans = []
    start = 0
    for line in text.splitlines(keepends=True):
        words = line.strip()
        if words:
            first = start + line.index(words)
            spans.append(Span(first, first + len(words)))
        start += len(line)
    return tuple(spans)
