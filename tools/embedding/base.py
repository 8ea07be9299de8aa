"""The contract of embedding models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEmbeddings:
    """One unit vector per token, shape ``(tokens, dimensions)``, and the spans of the tokens; no special tokens."""

    vectors: Matrix
    spans: tuple[Span, ...]


class Embedder(Protocol):
    """Converts texts to unit vectors, whose dot product is the cosine similarity.

    The first call raises ``ConfigurationError`` if the model cannot be loaded.
    """

    @property
    def name(self) -> str:
        """The model and its revision: a name that changes if the vectors change."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def max_tokens(self) -> int:
        """The maximum number of tokens that are read; the rest of a text is ignored."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that will be searched: float32, shape ``(len(texts), dimensions)``, rows of length 1."""

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions, which some models treat differently; shape and norm as for documents."""

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        """Embed each token in the context of its text, for late interaction."""

    def count_tokens(self, text: str) -> int:
        """Count the tokens in ``text``, without special tokens."""
