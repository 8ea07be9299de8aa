"""Grades of answers, gold sets, and the rubric that people and judges share."""

from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel

from contracts.provenance import Provenance

Criterion = Literal["relevance", "faithfulness", "completeness"]

CRITERIA: tuple[Criterion, ...] = ("relevance", "faithfulness", "completeness")
LOWEST_GRADE, HIGHEST_GRADE = 1, 5

# What an answer's one grade is made of. Source: Saxena and Owyang 2025, "A Passage-Based Question Answering (PBQA)
# System on Domain-Specific Data", section 6, table 5.
WEIGHTS = MappingProxyType({"relevance": 0.1, "faithfulness": 0.6, "completeness": 0.3})


class Rubric(BaseModel, frozen=True):
    """What is asked of an answer under one criterion, and what each grade means; ``levels[0]`` is grade 1."""

    criterion: Criterion
    asks: str
    levels: tuple[str, ...]


class AnswerToGrade(BaseModel, frozen=True):
    """An answer with what it is held against. ``reference`` is a person's answer, "" where there is none."""

    id: str
    question: str
    passages: tuple[str, ...]
    answer: str
    reference: str = ""


class Grades(BaseModel, frozen=True):
    """A judge's grades of one answer, each in [1, 5]; ``explanation`` in words for people, a line a criterion."""

    relevance: float
    faithfulness: float
    completeness: float
    provenance: Provenance
    explanation: str = ""

    def of(self, criterion: Criterion) -> float:
        """Return the grade under ``criterion``."""
        return float(getattr(self, criterion))

    @property
    def weighted(self) -> float:
        """The one grade of the answer, in [1, 5]: the criteria by their ``WEIGHTS``."""
        return sum(WEIGHTS[criterion] * self.of(criterion) for criterion in CRITERIA)


class GoldItem(BaseModel, frozen=True):
    """A row of a gold set: an answer and a person's scores of it, whole numbers in 1 to 5, None while not yet scored.

    ``explanation`` says in the person's words why. ``system`` names who answered; it is not shown to who scores.
    """

    id: str
    question: str
    passage: str
    answer: str
    system: str = ""
    reference: str = ""
    relevance: int | None = None
    faithfulness: int | None = None
    completeness: int | None = None
    explanation: str = ""

    def score(self, criterion: Criterion) -> int | None:
        """Return the person's score under ``criterion``."""
        found = getattr(self, criterion)
        return None if found is None else int(found)

    @property
    def scored(self) -> bool:
        """Whether every criterion has its score."""
        return all(self.score(criterion) is not None for criterion in CRITERIA)

    @property
    def weighted(self) -> float | None:
        """The one score of the answer, in [1, 5]: the criteria by their ``WEIGHTS``; None while one is missing."""
        scores = [self.score(criterion) for criterion in CRITERIA]
        if any(score is None for score in scores):
            return None
        return sum(WEIGHTS[name] * float(score or 0) for name, score in zip(CRITERIA, scores, strict=True))

    @property
    def to_grade(self) -> AnswerToGrade:
        """What a judge sees of it: neither the scores nor the system."""
        passages = (self.passage,) if self.passage.strip() else ()
        return AnswerToGrade(
            id=self.id, question=self.question, passages=passages, answer=self.answer, reference=self.reference
        )
