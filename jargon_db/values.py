"""Values that the dictionary's administration deals with."""

from dataclasses import dataclass
from datetime import datetime

from contracts.jargon import Sense


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """How many rows of an import were new, changed what was there, or were there already."""

    added: int
    changed: int
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A sentence of a document that defines a term; ``score`` in [0, 1] is the miner's."""

    document: str
    page: int
    sentence: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A draft sense with what speaks for it, best first, and the published senses of the same term beside it."""

    sense: Sense
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Sense, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTerm:
    """A term that was asked for and that nobody has defined: how often, last in which question and context."""

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime
