"""Embedding models with a common contract."""
