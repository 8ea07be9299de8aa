"""Links answer sentences to passage sentences."""

from intrinsics.citation.base import CitationFinder

__all__ = ["CitationFinder"]
