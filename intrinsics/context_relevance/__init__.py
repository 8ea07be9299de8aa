"""Judges whether a passage helps with a question."""

from intrinsics.context_relevance.base import RelevanceJudge

__all__ = ["RelevanceJudge"]
