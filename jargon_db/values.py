"""Values that the dictionary's administration deals with."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal

from contracts.jargon import Context, Correction, Sense

Action = Literal["add", "edit", "publish", "reject", "draft", "merge", "delete", "import", "mine", "forget", "undo"]
Kind = Literal["sense", "context"]
Verdict = Literal["added", "changed", "unchanged", "conflicting"]
FindingKind = Literal[
    "circle", "alias-is-term", "context-missing", "meaning-twice", "context-undescribed", "never-used"
]
Difference = tuple[str, object, object]


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

    @property
    def score(self) -> float:
        """Return the score of the best evidence; 0 where there is none."""
        return max((each.score for each in self.evidence), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftChoice:
    """Drafts that can be published together, and those that contradict a published sense or one another."""

    clear: tuple[Candidate, ...]
    conflicting: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTerm:
    """A term that was asked for and that nobody has defined: how often, last in which question and context."""

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionEntry:
    """A correction as it is kept: the number of the chosen sense, how often it was chosen, by whom last, and when."""

    correction: Correction
    sense: int
    count: int
    who: str
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseEntry:
    """A sense as it is kept: its version grows by one with each change of it, from 1."""

    sense: Sense
    version: int
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """A context as it is kept: its id, and its version, which grows by one with each change of it, from 1."""

    id: int
    context: Context
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a sense or context: who made it and when (UTC), and the whole entry before and after.

    ``before`` is None where the entry was added, ``after`` where it was deleted. ``entry`` is its id, ``version`` its
    version after the change, ``undoes`` the number of the change that this one took back. ``who`` is empty where the
    program itself did it. ``batch`` is the number of the first of the changes that were made with it, ``origin`` the
    file or document that they came from.
    """

    number: int
    at: datetime
    who: str
    action: Action
    kind: Kind
    entry: int
    version: int
    before: Sense | Context | None
    after: Sense | Context | None
    undoes: int | None = None
    batch: int = 0
    origin: str = ""

    @property
    def name(self) -> str:
        """Return the term or the context's name, as it is after the change where it still is."""
        kept = self.after or self.before
        assert kept is not None
        return kept.term if isinstance(kept, Sense) else kept.name

    def differences(self) -> tuple[Difference, ...]:
        """Return what changed: field, old value and new value; every filled field of an entry that came or went."""
        return differences(self.before, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The changes of one transaction, such as an import: how many entries they added, changed and deleted.

    ``first`` is the first of them, whose number is the batch's.
    """

    first: Change
    added: int
    changed: int
    deleted: int

    @property
    def number(self) -> int:
        """Return the batch's number."""
        return self.first.number

    @property
    def count(self) -> int:
        """Return how many changes there are."""
        return self.added + self.changed + self.deleted


def differences(before: Sense | Context | None, after: Sense | Context | None) -> tuple[Difference, ...]:
    """Return the fields in which two forms of an entry differ, each with its old and its new value (None: no entry)."""
    kept = after or before
    if kept is None:
        return ()
    found = []
    for field in fields(kept):
        old, new = getattr(before, field.name, None), getattr(after, field.name, None)
        if field.name != "id" and old != new and (old or new):
            found.append((field.name, old, new))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """What importing an entry would do to the dictionary, field by field.

    ``conflicting`` would be added beside published senses that give the same term another meaning in the same context:
    ``rivals``, which a changed or unchanged one may have, too. ``line`` is the row's in its file, 0 where it has none.
    """

    verdict: Verdict
    entry: Sense | Context
    differences: tuple[Difference, ...]
    rivals: tuple[Sense, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something to look at: what it is, in a sentence, and the numbers of the senses that it is about."""

    kind: FindingKind
    text: str
    senses: tuple[int, ...] = ()
