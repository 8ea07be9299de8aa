"""Orders passages by usefulness."""

from intrinsics.passage_reranking.base import PassageReranker

__all__ = ["PassageReranker"]
