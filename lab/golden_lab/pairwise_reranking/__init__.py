"""Reranking by comparing two passages at a time, as in the papers; the product ranks all passages in one call."""
