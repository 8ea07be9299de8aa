"""Grades, claims and preferences of answers, the judges that give them, and gold sets of people's scores."""

from types import MappingProxyType
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, Field

from contracts.provenance import Provenance

Criterion = Literal["relevance", "faithfulness", "completeness"]

CRITERIA: tuple[Criterion, ...] = ("relevance", "faithfulness", "completeness")
LOWEST_GRADE, HIGHEST_GRADE = 1, 5

# The weights of an answer's overall grade. Source: Saxena and Owyang 2025, "A Passage-Based Question Answering (PBQA)
# System on Domain-Specific Data", section 6, table 5.
WEIGHTS = MappingProxyType({"relevance": 0.1, "faithfulness": 0.6, "completeness": 0.3})


class AnswerToGrade(BaseModel, frozen=True):
    """An answer with its question and passages."""

    id: str
    question: str
    passages: tuple[str, ...]
    answer: str


class Grades(BaseModel, frozen=True):
    """A judge's grades of one answer, each in [1, 5]; ``explanation`` has one readable line per criterion."""

    relevance: float
    faithfulness: float
    completeness: float
    provenance: Provenance
    explanation: str = ""

    def of(self, criterion: Criterion) -> float:
        """Return the grade for ``criterion``."""
        return float(getattr(self, criterion))

    @property
    def weighted(self) -> float:
        """The overall grade, in [1, 5]: the grades weighted by ``WEIGHTS``."""
        return sum(WEIGHTS[criterion] * self.of(criterion) for criterion in CRITERIA)


class AnswerGrader(Protocol):
    """Grades answers for relevance, faithfulness and completeness."""

    async def grade(self, item: AnswerToGrade) -> Grades:
        """Grade an answer on three scales of 1 to 5; an empty answer gets 1.

        Raises:
            Unavailable: a required language model gave no usable reply.
        """
        ...


class CheckedClaim(BaseModel, frozen=True):
    """A claim in an answer and the probability that the passages support it (0 or 1 from a yes-or-no judge)."""

    text: str
    supported: bool
    probability: float


class ClaimChecker(Protocol):
    """Splits answers into claims and checks each."""

    async def check(self, item: AnswerToGrade) -> tuple[CheckedClaim, ...]:
        """Return the claims of an answer, in order, each checked against the passages; empty if it claims nothing.

        Raises:
            Unavailable: a required language model gave no usable reply.
        """
        ...


class AnswerPair(BaseModel, frozen=True):
    """Two answers to one question, without system names, because the comparer must not know them."""

    id: str
    question: str
    passages: tuple[str, ...]
    first: str
    second: str


Winner = Literal["first", "second", "tie"]


class Preference(BaseModel, frozen=True):
    """Which of two answers is better; ``consistent`` is False if swapping them changed the winner (a tie)."""

    winner: Winner
    consistent: bool
    provenance: Provenance
    explanation: str = ""


class AnswerComparer(Protocol):
    """Compares two answers to one question."""

    async def compare(self, pair: AnswerPair) -> Preference:
        """Return which answer is better, or a tie.

        Raises:
            Unavailable: a required language model gave no usable reply.
        """
        ...


def _empty_as_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


# A person's score; an empty cell means that there is none yet.
Score = Annotated[Annotated[int, Field(ge=LOWEST_GRADE, le=HIGHEST_GRADE)] | None, BeforeValidator(_empty_as_none)]


class GoldItem(BaseModel, frozen=True):
    """A row of a gold set: an answer and a person's scores, whole numbers from 1 to 5, None if not yet scored.

    ``explanation`` gives the person's reasons. ``system`` is the system that answered; no judge sees it.
    """

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    passage: str = ""
    answer: str
    system: str = ""
    relevance: Score = None
    faithfulness: Score = None
    completeness: Score = None
    explanation: str = ""

    def score(self, criterion: Criterion) -> int | None:
        """Return the person's score for ``criterion``."""
        found = getattr(self, criterion)
        return None if found is None else int(found)

    @property
    def scored(self) -> bool:
        """Whether every criterion has a score."""
        return all(self.score(criterion) is not None for criterion in CRITERIA)

    @property
    def weighted(self) -> float | None:
        """The overall score, in [1, 5]: the scores weighted by ``WEIGHTS``; None if one is missing."""
        scores = {name: self.score(name) for name in CRITERIA}
        return sum(WEIGHTS[name] * (score or 0) for name, score in scores.items()) if self.scored else None

    @property
    def to_grade(self) -> AnswerToGrade:
        """The part that a judge sees, without the scores and the system."""
        passages = (self.passage,) if self.passage.strip() else ()
        return AnswerToGrade(id=self.id, question=self.question, passages=passages, answer=self.answer)
