"""Cutting a context into chunks of a number of tokens."""

from collections.abc import Callable, Sequence

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.training.data.values import ContextChunk, Triplet

# Says where each token of a text stands, in order.
TokenSpans = Callable[[str], Sequence[Span]]

# Source: TRIFEX (Oestreich et al.), section 3.1.
CHUNK_TOKENS, MOST_CHUNKS = 128, 3


def context_chunks(
    triplet: Triplet, spans_of: TokenSpans, *, tokens: int = CHUNK_TOKENS, most: int = MOST_CHUNKS
) -> tuple[ContextChunk, ...]:
    """Cut the context of ``triplet`` into up to ``most`` chunks of up to ``tokens`` tokens; what is longer is dropped.

    Raises:
        InvalidInput: the context has no token.
    """
    spans = spans_of(triplet.context)
    if not spans:
        raise InvalidInput(f"{triplet.id}: its context is empty, and nothing can be retrieved for it", field="context")
    starts = range(0, min(len(spans), tokens * most), tokens)
    # Where a tokenizer counts the space before a word to it, a chunk would begin with one.
    pieces = [triplet.context[spans[at].start : spans[min(at + tokens, len(spans)) - 1].end].strip() for at in starts]
    return tuple(ContextChunk(triplet=triplet.id, text=piece) for piece in pieces)
