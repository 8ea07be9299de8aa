"""Estimates how probably an answer is right."""

from intrinsics.certainty.base import AnswerEvidence, CertaintyEstimator

__all__ = ["AnswerEvidence", "CertaintyEstimator"]
