"""What the overview reads of the API's answers."""

from datetime import date

from pydantic import BaseModel, ConfigDict


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Day(_Read):
    """What happened on a day (UTC)."""

    day: date
    asked: int = 0
    answered: int = 0
    declined: int = 0
    unknown_term: int = 0
    clarify: int = 0
    degraded: int = 0
    thumbs_up: int = 0
    thumbs_down: int = 0
    median_s: float = 0.0
    p95_s: float = 0.0
    certainty: float | None = None


class Step(_Read):
    """How often a step ran, and how long it took."""

    step: str
    count: int
    median_s: float
    p95_s: float


class Term(_Read):
    """A term that nobody knew, and in how many questions it stood."""

    term: str
    count: int


class Cited(_Read):
    """A document, and how many answers cite it; ``there``: it still is in the library."""

    id: str
    name: str
    there: bool
    count: int


class Overview(_Read):
    """What was asked over some days; a day without a question is not there."""

    first_day: date
    last_day: date
    days: tuple[Day, ...] = ()
    steps: tuple[Step, ...] = ()
    faces: dict[str, int] = {}
    certainty: tuple[int, ...] = ()
    terms: tuple[Term, ...] = ()
    documents: tuple[Cited, ...] = ()
