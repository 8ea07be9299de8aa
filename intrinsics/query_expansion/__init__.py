"""Words a question in other ways for a second search."""

from intrinsics.query_expansion.base import QueryExpander

__all__ = ["QueryExpander"]
