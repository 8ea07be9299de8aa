"""Makes the last turn of a conversation stand alone."""

from intrinsics.question_rewriting.base import QuestionRewriter

__all__ = ["QuestionRewriter"]
