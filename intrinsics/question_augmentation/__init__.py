"""Works context and definitions into a question."""

from intrinsics.question_augmentation.base import QuestionAugmenter

__all__ = ["QuestionAugmenter"]
