"""Passages with their questions, and what is said of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.text import Span

Condition = Literal["none", "relevant", "irrelevant", "noisy"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


class Triplet(BaseModel):
    """What training data is built from: a ``query``, the ``reference`` answer to it, and the true ``context``.

    ``source`` names where the context is from, such as a document and its page: what has one source stays together when
    data is held out. Empty: it stands alone. A line of a file may leave out its ``id``; its number is its name then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = ""
    query: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    context: str = Field(min_length=1)
    source: str = ""

    @property
    def group(self) -> str:
        """What it is held out with."""
        return self.source or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextChunk:
    """A piece of a context: of which triplet, and its text."""

    triplet: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionedExample:
    """A query as a model sees it under one condition of retrieval, and what it should answer.

    ``relevant`` says of each of ``chunks`` whether it is of the query's own context.
    """

    id: str
    condition: Condition
    query: str
    chunks: tuple[str, ...]
    relevant: tuple[bool, ...]
    reference: str


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
