"""Embeddings by feature hashing, for tests: no model to load, the same vectors everywhere."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from contracts.text import Span
from tools.embedding.base import Matrix, TokenEmbeddings
from tools.language import STOP_WORDS, find_words, fold, stem

_MAX_WORDS = 512
_GRAM_CHARACTERS = 3


class HashingEmbedder:
    """Embeds texts by the stems and character 3-grams of their words, hashed to ``dimensions`` signed features.

    Texts that share words or spellings are near; it knows no synonyms. A text without words has the zero vector, near
    to nothing.

    Source: Weinberger et al. 2009, "Feature hashing for large scale multitask learning" (signed hashing).
    """

    def __init__(self, dimensions: int = 256) -> None:
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return f"hashing-1-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return _MAX_WORDS

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            counts = Counter(fold(word.text) for word in find_words(text)[:_MAX_WORDS])
            for word, count in counts.items():
                # Each repetition counts less than the one before, as in BM25.
                weight = np.float32(0.1 if word in STOP_WORDS else 1.0)
                vectors[row] += np.float32(1.0 + np.log(count)) * weight * self._word_vector(word)
        return _normalised(vectors)

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return await self.embed_documents(texts)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        found = []
        for text in texts:
            words = find_words(text)[:_MAX_WORDS]
            vectors = np.zeros((len(words), self._dimensions), dtype=np.float32)
            for row, word in enumerate(words):
                vectors[row] = self._word_vector(fold(word.text))
            spans = tuple(Span(word.span.start, word.span.end) for word in words)
            found.append(TokenEmbeddings(vectors=_normalised(vectors), spans=spans))
        return tuple(found)

    def count_tokens(self, text: str) -> int:
        return len(find_words(text))

    def _word_vector(self, word: str) -> Matrix:
        vector = np.zeros(self._dimensions, dtype=np.float32)
        for feature, weight in _features(word):
            vector[(feature >> 1) % self._dimensions] += weight if feature & 1 else -weight
        return vector


@lru_cache(maxsize=65_536)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    framed = f"<{word}>"
    starts = range(max(1, len(framed) - _GRAM_CHARACTERS + 1))
    grams = [framed[start : start + _GRAM_CHARACTERS] for start in starts]
    # The stem counts twice as much as all character n-grams: words decide, spelling breaks ties.
    weighed = [(_hash("stem:" + stem(word)), 1.0)]
    weighed += [(_hash("gram:" + gram), 0.5 / len(grams) ** 0.5) for gram in grams]
    return tuple(weighed)


def _hash(feature: str) -> int:
    # Python's own hash differs between processes.
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")


def _normalised(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
