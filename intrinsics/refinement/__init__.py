"""Decides whether a draft is written again."""

from intrinsics.refinement.base import AnswerRefiner

__all__ = ["AnswerRefiner"]
