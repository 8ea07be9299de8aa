"""Scorers without weights: one prefers texts that it is told, the other those that share words with the question."""

from collections.abc import Sequence

from contracts.text import Span
from tools.cross_encoder.base import AnswerScore, PlacedText
from tools.reading.concepts import coverage, question_concepts, read_words

SURE = 12.0


class PreferringScorer:
    """Is sure that a text which holds one of ``answers`` answers, the first of them most, and that no other does."""

    name = "preferring@1"

    def __init__(self, *answers: str) -> None:
        self._answers = answers
        self.asked: list[tuple[str, PlacedText]] = []

    async def score(self, question: str, texts: Sequence[PlacedText]) -> tuple[AnswerScore, ...]:
        """Score each of ``texts``; the answer's place is where it stands."""
        self.asked += [(question, text) for text in texts]
        return tuple(self._one(text.text) for text in texts)

    def _one(self, text: str) -> AnswerScore:
        for place, answer in enumerate(self._answers):
            at = text.find(answer)
            if at >= 0:
                return AnswerScore(SURE - place, Span(at, at + len(answer)), SURE)
        return AnswerScore(-SURE, Span(0, len(text)), 0.0)


class OverlapScorer:
    """Holds a text the likelier to answer, the more of the question's words stand in it."""

    name = "overlap@1"

    async def score(self, question: str, texts: Sequence[PlacedText]) -> tuple[AnswerScore, ...]:
        """Score each of ``texts`` from -6, where it holds no word of the question, to 6, where it holds all."""
        concepts = question_concepts(question)
        shares = [coverage(concepts, read_words(text.text)) if concepts else 0.0 for text in texts]
        return tuple(
            AnswerScore(12 * share - 6, Span(0, len(text.text)), 0.0) for text, share in zip(texts, shares, strict=True)
        )
