"""What was asked and answered, summed up."""

from pydantic import BaseModel


class DayCount(BaseModel, frozen=True):
    """What happened on a day (UTC): how many questions, by outcome, thumbs, and how long an answer took.

    ``certainty`` is the mean over the answers that have one, null where none has.
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
    """A term that neither the dictionary nor a document knew, and in how many questions it stood."""

    term: str
    count: int


class CitedDocument(BaseModel, frozen=True):
    """A document, and how many answers cite it; ``there``: it still is in the library."""

    id: str
    name: str
    there: bool
    count: int


class UsageOverview(BaseModel, frozen=True):
    """What was asked, by day; a day without a question is not there.

    ``terms`` are the unknown terms that were asked for most, ``documents`` those that most answers cite: ten of each at
    most.
    """

    first_day: str
    last_day: str
    days: tuple[DayCount, ...] = ()
    terms: tuple[AskedTerm, ...] = ()
    documents: tuple[CitedDocument, ...] = ()
