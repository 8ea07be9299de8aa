"""The sentences of a chunk, by which a passage is read and cited."""

from functools import lru_cache

from contracts.text import Chunk, Span
from tools.language import split_sentences


def sentences_in(chunk: Chunk) -> tuple[Span, ...]:
    """Return the sentences of a chunk's text, in order; each row of a table is one."""
    return split_sentences(chunk.text) if chunk.block_kind != "table" else _split_rows(chunk.text)


# Of one question after the other many passages are the same.
@lru_cache(maxsize=4_096)
def _split_rows(text: str) -> tuple[Span, ...]:
    # A row of a table is one statement, whatever marks its cells hold.
    spans = []
    start = 0
    for line in text.splitlines(keepends=True):
        words = line.strip()
        if words:
            first = start + line.index(words)
            spans.append(Span(first, first + len(words)))
        start += len(line)
    return tuple(spans)
