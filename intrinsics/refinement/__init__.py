"""Decides whether a draft is written again."""

from intrinsics.refinement.base import AnswerRefiner, PassageUse, PassageUseSignal

__all__ = ["AnswerRefiner", "PassageUse", "PassageUseSignal"]
