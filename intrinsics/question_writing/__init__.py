"""Writes questions that a passage answers, each with its answer."""

from intrinsics.question_writing.base import QuestionWriter

__all__ = ["QuestionWriter"]
