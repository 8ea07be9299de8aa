"""Writes the answer from passages."""

from intrinsics.answer_generation.base import AnswerWriter, BegunDraft, StartingAnswerWriter, WritingBrief

__all__ = ["AnswerWriter", "BegunDraft", "StartingAnswerWriter", "WritingBrief"]
