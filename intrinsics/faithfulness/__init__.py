"""Checks answer sentences against passages."""

from intrinsics.faithfulness.base import FaithfulnessJudge

__all__ = ["FaithfulnessJudge"]
