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
    """One unit vector per token (shape ``(tokens, dimensions)``), with its span in the text; no special tokens."""

    vectors: Matrix
    spans: tuple[Span, ...]


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine similarity.

    The first call raises ``ConfigurationError`` if the model cannot be loaded.
    """

    @property
    def name(self) -> str:
        """A name that changes whenever the vectors would: model and revision."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are read; the rest does not count."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts to be found: float32, shape ``(len(texts), dimensions)``, rows of length 1."""

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions, for models that treat them differently; shape and norm as for documents."""

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        """Embed each token in its text, for late interaction."""

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of ``text``, without special tokens."""
