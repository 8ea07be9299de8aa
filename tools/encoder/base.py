"""The contract of trained encoders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts to hold against one another: a question or claim ``first``, a passage ``second``."""

    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTags:
    """One row a token of a text, shape ``(tokens, 3)``: logits of outside, beginning and inside of a term; its span."""

    logits: Logits
    spans: tuple[Span, ...]


class PairEncoder(Protocol):
    """Judges pairs of texts, and the words of a text, as it was trained to."""

    @property
    def name(self) -> str:
        """A name that changes when the scores would: model and revision."""
        ...

    @property
    def heads(self) -> tuple[str, ...]:
        """What a pair is judged for, such as "relevance": the columns of ``score``."""
        ...

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        """Return a logit for each pair and head, shape ``(pairs, heads)``; above 0 is yes.

        A second text that is too long is read in windows of whole sentences; the best window counts, head by head. A
        pair's score does not depend on the pairs beside it.
        """
        ...

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        """Say of each token of each text whether a term of jargon begins or goes on there; a long text in windows."""
        ...
