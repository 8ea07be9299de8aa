"""The cached embedder asks the inner one once for each text."""

from collections.abc import Sequence

import numpy as np

from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Matrix, TokenEmbeddings
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


async def test_each_text_is_embedded_once_while_there_is_room() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed_documents(["a", "b", "a"])
    again = await cached.embed_documents(["b", "c", "b"])
    assert inner.asked == ["a", "b", "c"]
    np.testing.assert_array_equal(again, await HashingEmbedder(dimensions=32).embed_documents(["b", "c", "b"]))
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
