"""Values of people's records."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from contracts.answer import Answer, Outcome

Verdict = Literal["up", "down"]
Reason = Literal[
    "", "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other"
]
ReviewState = Literal["open", "resolved", "ignored"]
Concern = Literal["thumbs_down", "declined", "unknown_term", "low_certainty", "degraded"]
# Why the answer of a turn is not shown: a document that it cites is gone, or it may rest on what the reader may not
# read (any more). "" where it is shown.
Withheld = Literal["", "gone", "forbidden"]

MAX_TITLE_CHARACTERS = 200
MAX_CONVERSATION_ID_CHARACTERS = 200
MAX_FEEDBACK_CHARACTERS = 4_000
MAX_NOTE_CHARACTERS = 4_000

# The document groups that somebody may read; None: all.
Groups = frozenset[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation of one account: its title, when it began and last went on, how many turns it has."""

    id: str
    title: str
    started_at: datetime
    changed_at: datetime
    version: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDocument:
    """A document that an answer cited or named as near; ``there`` says that it still is in the library."""

    id: str
    name: str
    cited: bool
    there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the asker says of an answer."""

    turn_id: str
    verdict: Verdict
    reason: Reason
    text: str
    version: int
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a reviewer decided about a turn; ``version`` is 0 where nobody did yet."""

    state: ReviewState = "open"
    note: str = ""
    who: str = ""
    version: int = 0
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """A turn as its reader may see it: ``answer`` holds nothing but the question and the outcome where it is withheld.

    ``engine`` says what the server was set to then, ``asker_groups`` what its asker could read.
    """

    id: str
    conversation_id: str
    asked_at: datetime
    seconds: float
    outcome: Outcome
    certainty: float | None
    degraded: bool
    who: str
    face: str
    department: str
    engine: str
    asker_groups: Groups
    answer: Answer
    withheld: Withheld
    documents: tuple[NamedDocument, ...]
    feedback: Feedback | None
    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFilter:
    """Which turns a reviewer asks for: those with any of ``concerns``, in ``state`` (None: any).

    ``certainty_below`` says what low certainty is. ``first_day`` and ``last_day`` are days in UTC as ``2026-01-31``,
    "" for no bound.
    """

    concerns: tuple[Concern, ...]
    state: ReviewState | None = "open"
    certainty_below: float = 0.5
    first_day: str = ""
    last_day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCase:
    """A test case that was made of a turn: the fields of a quiz's line. ``turn_id`` is "" where the turn is gone.

    ``asker_groups`` are what whoever asked could read: more than that is not searched when the case is asked.
    """

    id: str
    turn_id: str
    fields: dict[str, Any]
    made_by: str
    made_at: datetime
    asker_groups: Groups
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCount:
    """What happened on a day (UTC): how many questions, by outcome, thumbs, and how long an answer took.

    ``certainty`` is the mean over the answers that have one, None where none has.
    """

    day: str
    asked: int
    answered: int
    declined: int
    unknown_term: int
    clarify: int
    degraded: int
    thumbs_up: int
    thumbs_down: int
    median_s: float
    p95_s: float
    certainty: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTimes:
    """How often a step ran and how long it took, its quantiles within 5 %."""

    node: str
    count: int
    median_s: float
    p95_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTerm:
    """A term that nobody knew, and in how many questions it stood."""

    term: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedDocument:
    """A document, and how many answers cite it; ``there`` says that it still is in the library."""

    id: str
    name: str
    there: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What was asked over some days: by day, by step, by the way it came in.

    ``certainty`` counts answers by their certainty: the first of ten counts those below 0.1, the last those from 0.9.
    ``terms`` and ``documents`` begin with the most asked and the most cited.
    """

    days: tuple[DayCount, ...]
    steps: tuple[StepTimes, ...]
    faces: dict[str, int]
    certainty: tuple[int, ...]
    terms: tuple[AskedTerm, ...]
    documents: tuple[CitedDocument, ...]


def reach_of(groups: Groups) -> str:
    """Return the groups that an asker may read as one word for the database; "" for all."""
    return "" if groups is None else json.dumps(sorted(groups), ensure_ascii=False)


def groups_of(reach: str) -> Groups:
    """Return the groups that ``reach_of`` wrote down."""
    return frozenset(json.loads(reach)) if reach else None


def both(one: Groups, other: Groups) -> Groups:
    """Return the groups that both may read."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def is_within(reach: str, groups: Groups) -> bool:
    """Say whether everything that could go into an answer of this reach may be read by who reads ``groups``."""
    if groups is None:
        return True
    named = groups_of(reach)
    return named is not None and named <= groups
