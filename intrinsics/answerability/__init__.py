"""Judges whether passages hold the answer."""

from intrinsics.answerability.base import AnswerabilityJudge

__all__ = ["AnswerabilityJudge"]
