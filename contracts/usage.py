"""Statistics of questions and answers."""

from pydantic import BaseModel


class DayCount(BaseModel, frozen=True):
    """One day (in UTC): the number of questions by outcome, the feedback, and how long answers took.

    ``certainty`` is the mean certainty of the answers that have one; null if there are none.
    """

    day: str
    asked: int = 0
    answered: int = 0
    closest_passages: int = 0
    declined: int = 0
    unknown_term: int = 0
    clarify: int = 0
    conversation: int = 0
    degraded: int = 0
    thumbs_up: int = 0
    thumbs_down: int = 0
    median_s: float = 0.0
    p95_s: float = 0.0
    certainty: float | None = None


class AskedTerm(BaseModel, frozen=True):
    """A term that was in neither the dictionary nor the documents, and the number of questions about it."""

    term: str
    count: int


class CitedDocument(BaseModel, frozen=True):
    """A document, and the number of answers that cite it; ``there`` is true if it is still in the library."""

    id: str
    name: str
    there: bool
    count: int


class UsageOverview(BaseModel, frozen=True):
    """Questions by day; days without questions are left out.

    ``terms`` are the most frequent unknown terms and ``documents`` the most cited documents, at most ten of each.
    """

    first_day: str
    last_day: str
    days: tuple[DayCount, ...] = ()
    terms: tuple[AskedTerm, ...] = ()
    documents: tuple[CitedDocument, ...] = ()
