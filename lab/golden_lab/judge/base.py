"""The contracts of judges of answers."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel

from contracts.provenance import Provenance
from golden_lab.judge.grades import AnswerToGrade, Grades

Winner = Literal["first", "second", "tie"]


class AnswerGrader(Protocol):
    """Grades answers for relevance, faithfulness and completeness."""

    async def grade(self, item: AnswerToGrade) -> Grades:
        """Grade an answer on three scales of 1 to 5.

        Raises:
            Unavailable: a language model is needed and did not give what was asked for.
        """
        ...


class ReferenceGrades(BaseModel, frozen=True):
    """Grades of one answer against a reference answer, each in [1, 10].

    Source: Kuo et al. 2024, "RAD-Bench", as MT-RAG's metric RB-LLM takes it up (Katsis et al. 2025).
    """

    faithfulness: float
    appropriateness: float
    completeness: float
    provenance: Provenance
    explanation: str = ""


class ReferenceGrader(Protocol):
    """Grades answers against a reference answer."""

    async def grade(self, item: AnswerToGrade) -> ReferenceGrades:
        """Grade an answer against ``item.reference``.

        Raises:
            InvalidInput: there is no reference.
            Unavailable: a language model is needed and did not give what was asked for.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim of an answer; ``probability`` is that the passages support it, 0 or 1 from a yes-or-no judge."""

    text: str
    supported: bool
    probability: float


class ClaimChecker(Protocol):
    """Splits answers into claims and checks each."""

    async def check(self, item: AnswerToGrade) -> tuple[CheckedClaim, ...]:
        """Return the claims of an answer, in order, each checked against the passages; none: it claims nothing.

        Raises:
            Unavailable: a language model is needed and did not give what was asked for.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """Two answers to one question. Neither carries its system's name: who compares must not know it."""

    id: str
    question: str
    passages: tuple[str, ...]
    first: str
    second: str


class Preference(BaseModel, frozen=True):
    """Which of two answers is better.

    ``consistent`` is False where the two positions gave different winners (it is then a tie). ``difference`` in favour
    of the first: 1, 0 or -1, or the difference of two grades where grades were compared.
    """

    winner: Winner
    consistent: bool
    difference: float
    provenance: Provenance
    explanation: str = ""


class AnswerComparer(Protocol):
    """Compares two answers to one question."""

    async def compare(self, pair: AnswerPair) -> Preference:
        """Say which answer is better, or neither.

        Raises:
            Unavailable: a language model is needed and did not give what was asked for.
        """
        ...


Aggregation = Literal["mean", "median"]


def aggregate(grades: Sequence[float], how: Aggregation = "mean") -> float:
    """Return the mean or the median of grades of the same thing.

    Source: the mean was the most consistent of the strategies that Saxena and Owyang 2025 tried (appendix D, v2).

    Raises:
        ValueError: there are no grades.
    """
    if not grades:
        raise ValueError("no grades to aggregate")
    return float(statistics.fmean(grades) if how == "mean" else statistics.median(grades))
