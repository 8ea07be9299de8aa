"""What the API says of the dictionary, as far as the desk shows it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ui.page_picture import Box

State = Literal["draft", "published", "rejected"]
Value = str | int | tuple[str, ...] | None

STATES: tuple[State, ...] = ("published", "draft", "rejected")


class Told(BaseModel):
    """What the server says; what it says besides is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Meaning(Told):
    """One meaning of a term. ``etag`` and ``last_change`` stand where it is told as it is kept."""

    id: int
    term: str
    extended_name: str
    context: str = ""
    description: str = ""
    notes: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    state: State = "published"
    etag: str = ""
    changed_at: datetime | None = None
    changed_by: str = ""
    last_change: int | None = None


class Counts(Told):
    """How many meanings there are of each state."""

    draft: int = 0
    published: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        """How many there are of any."""
        return self.draft + self.published + self.rejected


class Overview(Told):
    """The dictionary at a glance."""

    counts: Counts = Counts()
    contexts: int = 0
    unknown_terms: int = 0


class Meanings(Told):
    """A page of meanings; ``counts`` are those of each state under the same filter."""

    items: tuple[Meaning, ...] = ()
    total: int = 0
    counts: Counts = Counts()


class ContextEntry(Told):
    """A context."""

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()
    etag: str = ""
    changed_by: str = ""
    last_change: int | None = None


class Contexts(Told):
    """Every context."""

    items: tuple[ContextEntry, ...] = ()


class Changed(Told):
    """What a change left: the number that undoes it."""

    change: int | None = None


class Evidence(Told):
    """A sentence of a document that defines a term; ``boxes`` are its place on the page where that is asked for."""

    document: str = ""
    page: int = 1
    sentence: str = ""
    score: float = 0.0
    document_id: str = ""
    boxes: tuple[Box, ...] = ()


class Candidate(Told):
    """A draft with what speaks for it, best first, and the published meanings that it contradicts."""

    sense: Meaning
    score: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[Meaning, ...] = ()


class Candidates(Told):
    """A page of candidates."""

    items: tuple[Candidate, ...] = ()
    total: int = 0


class EvidenceList(Told):
    """All that speaks for a candidate, each with its place."""

    items: tuple[Evidence, ...] = ()


class Choice(Told):
    """What would be, or was, published by a score, and what stays a draft because it contradicts others."""

    published: tuple[Candidate, ...] = ()
    kept: tuple[Candidate, ...] = ()
    change: int | None = None


class Unknown(Told):
    """A term that people asked for in vain."""

    term: str
    count: int = 0
    last_question: str = ""
    context: str = ""
    first_asked_at: datetime | None = None
    last_asked_at: datetime | None = None
    near: tuple[str, ...] = ()


class Queue(Told):
    """A page of the queue of unknown terms."""

    items: tuple[Unknown, ...] = ()
    total: int = 0


class LookedUp(Told):
    """The published meanings of a spelling."""

    term: str
    senses: tuple[Meaning, ...] = ()


class Lookups(Told):
    """The published meanings of spellings."""

    items: tuple[LookedUp, ...] = ()


class Difference(Told):
    """A field that differs."""

    field: str
    before: Value = None
    after: Value = None


class Change(Told):
    """A change: who, when, what, and the fields before and after."""

    number: int
    at: datetime
    who: str = ""
    action: str
    kind: str
    name: str
    differences: tuple[Difference, ...] = ()
    undoes: int | None = None
    batch: int = 0
    origin: str = ""


class Changes(Told):
    """Changes, newest first; ``next_before`` asks for those behind them."""

    items: tuple[Change, ...] = ()
    next_before: int | None = None


class Batch(Told):
    """What was changed at once."""

    number: int
    at: datetime
    who: str = ""
    action: str
    origin: str = ""
    name: str
    added: int = 0
    changed: int = 0
    deleted: int = 0


class Batches(Told):
    """The latest batches, newest first."""

    items: tuple[Batch, ...] = ()


class PlannedRow(Told):
    """What importing a row would do."""

    line: int = 0
    verdict: Literal["added", "changed", "unchanged", "conflicting"]
    sense: Meaning | None = None
    context: ContextEntry | None = None
    differences: tuple[Difference, ...] = ()
    rivals: tuple[Meaning, ...] = ()


class Sheet(Told):
    """What an import did, or would do, with a file."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    conflicting: int = 0
    rows: tuple[PlannedRow, ...] = ()
    rows_left_off: int = 0


class Imported(Told):
    """What an import did, or would do."""

    change: int | None = None
    terms: Sheet | None = None
    contexts: Sheet | None = None


class Finding(Told):
    """Something to look at, and the meanings that it is about."""

    kind: str
    text: str
    senses: tuple[int, ...] = ()


class Findings(Told):
    """What deserves a look."""

    items: tuple[Finding, ...] = ()


class Correction(Told):
    """A meaning that askers chose for a term."""

    term: str
    extended_name: str = ""
    context: str = ""
    question: str = ""
    count: int = 0
    who: str = ""
    last_at: datetime


class Corrections(Told):
    """Corrections, newest first."""

    items: tuple[Correction, ...] = ()


class MentionRead(Told):
    """A term that was found in a question, at [start, end)."""

    text: str
    start: int
    end: int
    term: str
    corrected: bool = False


class TermRead(Told):
    """How a term was read."""

    text: str
    term: str
    status: Literal["chosen", "documents", "ambiguous", "unknown"]
    sense: Meaning | None = None
    probability: float = 0.0
    reason: str = ""
    alternatives: tuple[Meaning, ...] = ()
    suggestions: tuple[str, ...] = ()


class Share(Told):
    """How probably a question is asked in a context."""

    name: str
    probability: float


class QuestionRead(Told):
    """How a question would be read."""

    question: str = ""
    mentions: tuple[MentionRead, ...] = ()
    context: str = ""
    contexts: tuple[Share, ...] = ()
    readings: tuple[TermRead, ...] = ()
    outcome: Literal["answer", "clarify", "unknown_term"] = "answer"
    augmented_question: str = ""
