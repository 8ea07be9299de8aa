"""The interface of models that score whether a text answers a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.text import Span


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text, and its title and headings on one line."""

    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """``logit`` is above 0 if the text answers the question; ``span`` is the most likely position of the answer.

    ``span_logit`` is the confidence in that position, comparable between the texts for one question.
    """

    logit: float
    span: Span
    span_logit: float


class AnswerScorer(Protocol):
    """Scores whether texts answer a question."""

    @property
    def name(self) -> str:
        """The model and its revision; this name changes whenever the scores may change."""
        ...

    async def score(self, question: str, texts: Sequence[PlacedText]) -> tuple[AnswerScore, ...]:
        """Score each of ``texts``; texts that are too long are truncated.

        A text's score does not depend on the other texts.
        """
        ...
