"""The cross-encoder: a small model that reads a question and a text together and says whether the text answers it."""

from tools.cross_encoder.base import AnswerScore, AnswerScorer, PlacedText

__all__ = ["AnswerScore", "AnswerScorer", "PlacedText"]
