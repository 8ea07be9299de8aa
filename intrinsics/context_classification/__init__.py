"""Says in which context a question is asked."""

from intrinsics.context_classification.base import ContextClassifier

__all__ = ["ContextClassifier"]
