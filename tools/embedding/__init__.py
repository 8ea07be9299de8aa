"""Embedding models behind one contract."""

from tools.embedding.base import Embedder, Matrix, TokenEmbeddings

__all__ = ["Embedder", "Matrix", "TokenEmbeddings"]
