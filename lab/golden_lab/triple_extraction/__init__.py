"""Reads the claims of a text as triples."""

from golden_lab.triple_extraction.base import TripleExtractor

__all__ = ["TripleExtractor"]
