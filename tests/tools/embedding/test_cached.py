"""The cached embedder gives the inner one's vectors and asks it once for each text."""

from collections.abc import Sequence

import numpy as np

from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.embedding.cached import CachedEmbedder


class CountingEmbedder(HashingEmbedder):
    """Embeds as the hashing embedder does and counts the texts it was asked for."""

    def __init__(self) -> None:
        super().__init__(dimensions=32)
        self.asked: list[str] = []

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        return await super().embed_documents(texts)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        self.asked += texts
        return await super().embed_tokens(texts)


async def test_the_vectors_are_those_of_the_inner_embedder() -> None:
    plain: Embedder = HashingEmbedder(dimensions=32)
    cached: Embedder = CachedEmbedder(HashingEmbedder(dimensions=32))
    texts = ["a row", "a column", "a row"]
    for _ in range(2):
        np.testing.assert_array_equal(await cached.embed_documents(texts), await plain.embed_documents(texts))
        np.testing.assert_array_equal(await cached.embed_queries(texts), await plain.embed_queries(texts))
        for mine, theirs in zip(await cached.embed_tokens(texts), await plain.embed_tokens(texts), strict=True):
            np.testing.assert_array_equal(mine.vectors, theirs.vectors)
            assert mine.spans == theirs.spans
    assert (cached.name, cached.dimensions, cached.max_tokens) == (plain.name, plain.dimensions, plain.max_tokens)
    assert cached.count_tokens("a row") == plain.count_tokens("a row")
    assert (await cached.embed_documents([])).shape == (0, 32)


async def test_each_text_is_embedded_once_while_there_is_room() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed_documents(["a", "b", "a"])
    await cached.embed_documents(["b", "c"])
    assert inner.asked == ["a", "b", "c"]
    await cached.embed_tokens(["a"])
    assert inner.asked == ["a", "b", "c", "a"]
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.embed_documents(["a", "b"])
    await cached.embed_documents(["a"])
    await cached.embed_documents(["c"])
    await cached.embed_documents(["a"])
    assert inner.asked == ["a", "b", "c"]
    await cached.embed_documents(["b"])
    assert inner.asked == ["a", "b", "c", "b"]
