"""Writes the answer from passages."""

from intrinsics.answer_generation.base import AnswerWriter, WritingBrief

__all__ = ["AnswerWriter", "WritingBrief"]
