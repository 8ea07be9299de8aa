"""Reads the claims of a text as triples."""

from intrinsics.triple_extraction.base import TripleExtractor

__all__ = ["TripleExtractor"]
