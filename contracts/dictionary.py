"""The dictionary as its manager sees it: entries as they are kept, candidates, changes, imports."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, computed_field

from contracts.items import ItemPage, Items
from contracts.jargon import Context, Correction, Sense
from contracts.text import PageBox

Action = Literal["add", "edit", "publish", "reject", "draft", "merge", "delete", "import", "mine", "forget", "undo"]
EntryKind = Literal["sense", "context"]
ImportVerdict = Literal["added", "changed", "unchanged", "conflicting"]
FindingKind = Literal["meaning-twice", "meanings-together", "context-undescribed", "context-unused"]
SenseOrder = Literal["term", "newest"]
FieldValue = str | int | tuple[str, ...] | None


class StoredEntry(BaseModel, frozen=True):
    """An entry as it is kept.

    ``version`` grows by one with each change, from 1; ``etag`` goes into ``If-Match`` of an edit. ``last_change`` is
    the number of its last change, which can be undone; null where the history does not reach so far. ``changed_by`` is
    empty where the program itself made it.
    """

    id: int
    version: int
    changed_by: str = ""
    last_change: int | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The entity tag of this version."""
        return f'"{self.id}.{self.version}"'


class SenseEntry(StoredEntry, Sense, frozen=True):
    """A meaning as it is kept."""

    changed_at: datetime

    @property
    def sense(self) -> Sense:
        """The meaning alone."""
        return Sense(**{name: getattr(self, name) for name in Sense.model_fields})


class ContextEntry(StoredEntry, Context, frozen=True):
    """A context as it is kept."""

    id: int = Field(exclude=True)

    @property
    def context(self) -> Context:
        """The context alone."""
        return Context(**{name: getattr(self, name) for name in Context.model_fields})


class StateCounts(BaseModel, frozen=True):
    """How many meanings there are of each state."""

    draft: int = 0
    published: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        """How many there are of any."""
        return self.draft + self.published + self.rejected


class SenseFilter(BaseModel, frozen=True):
    """Which meanings are wanted; None wants any.

    ``term`` and ``context`` ("" for everywhere) are compared folded. ``text`` stands somewhere in the term, an alias,
    the extended name, the context, the description or the notes. The meanings whose numbers are ``hidden`` are never
    among them.
    """

    state: Literal["draft", "published", "rejected"] | None = None
    context: str | None = None
    term: str | None = None
    text: str = ""
    hidden: frozenset[int] = frozenset()


class SensePage(ItemPage[SenseEntry], frozen=True):
    """A page of meanings.

    ``total`` is how many the filter names; ``counts`` how many it would name in each state. ``version`` is the whole
    dictionary's: another one means that something changed.
    """

    counts: StateCounts
    version: str


class DictionaryOverview(BaseModel, frozen=True):
    """The dictionary at a glance; ``user`` is the name under which your changes are noted."""

    version: str
    counts: StateCounts
    contexts: int
    unknown_terms: int
    user: str


class LookupResult(BaseModel, frozen=True):
    """The published meanings of one spelling, the closest first."""

    term: str
    senses: tuple[Sense, ...]


class DeletedSense(BaseModel, frozen=True):
    """A meaning that is gone, and the number of the change that can be undone."""

    deleted: Sense
    change: int | None


class DeletedContext(BaseModel, frozen=True):
    """A context that is gone; ``change`` as of a meaning."""

    deleted: Context
    change: int | None


class ChangedSenses(Items[SenseEntry], frozen=True):
    """The meanings as they are now; undoing the batch ``change`` takes all of it back. Null where nothing changed."""

    change: int | None


class Evidence(BaseModel, frozen=True):
    """A sentence of a document that defines a term; ``score`` in [0, 1] is the miner's."""

    document: str
    page: int
    sentence: str
    score: float


class PlacedEvidence(Evidence, frozen=True):
    """A sentence that defines a term, and where it stands.

    ``document_id`` is that of ``/api/documents``, empty where no document that you may read has it any more; ``boxes``
    are the lines of the sentence on its page, none where it is not found there.
    """

    document_id: str = ""
    boxes: tuple[PageBox, ...] = ()


class Candidate(BaseModel, frozen=True):
    """A draft with what speaks for it, best first, its best score, and the published meanings of the same term."""

    sense: SenseEntry
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Sense, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float:
        """The score of the best evidence; 0 where there is none."""
        return max((each.score for each in self.evidence), default=0.0)


class ChosenDrafts(BaseModel, frozen=True):
    """What was published, or with ``preview`` would be, and what stays a draft because it contradicts others.

    The ``conflicts`` of each are also other drafts of its term that were chosen. Undoing the batch ``change`` takes it
    back; null where nothing was changed.
    """

    preview: bool
    published: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    change: int | None = None


class UnknownTerm(BaseModel, frozen=True):
    """A term that was asked for and that nobody has defined; ``near`` are known spellings, where they are asked for.

    It was last asked for in the question ``last_question`` and in ``context``, each empty where that is not known.
    """

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime
    near: tuple[str, ...] = ()


class CorrectionEntry(Correction, frozen=True):
    """A meaning that askers chose for a term in a question; ``sense`` is its number, ``count`` how often.

    ``who`` chose it last.
    """

    sense: int
    count: int
    who: str
    first_at: datetime
    last_at: datetime

    @property
    def correction(self) -> Correction:
        """The correction alone."""
        return Correction(**{name: getattr(self, name) for name in Correction.model_fields})


class FieldChange(BaseModel, frozen=True):
    """A field that differs; null where there was, or is, no entry."""

    field: str
    before: FieldValue = None
    after: FieldValue = None


class Change(BaseModel, frozen=True):
    """A change: who made it, when (UTC), and the entry before and after; null where it was not there.

    ``entry`` is the id of the entry, ``version`` its version after the change. ``who`` is empty where the program
    itself did it. ``undoes`` is the number of the change that this one took back, ``batch`` that of the first change
    that was made with it, ``origin`` the file or document that it came from.
    """

    number: int
    at: datetime
    who: str
    action: Action
    kind: EntryKind
    entry: int
    version: int
    before: Sense | Context | None
    after: Sense | Context | None
    undoes: int | None = None
    batch: int = 0
    origin: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def name(self) -> str:
        """The term or the context's name, as it is after the change where it still is."""
        kept = self.after or self.before
        assert kept is not None
        return kept.term if isinstance(kept, Sense) else kept.name

    @computed_field  # type: ignore[prop-decorator]
    @property
    def differences(self) -> tuple[FieldChange, ...]:
        """What changed; every filled field of an entry that came or went."""
        return differences(self.before, self.after)


class ChangePage(Items[Change], frozen=True):
    """Changes, newest first; ``before`` asks for those that follow ``next_before``, which is null at the end."""

    next_before: int | None


class Batch(BaseModel, frozen=True):
    """What was changed at once, such as an import: by whom, when, from which file or document, and how many entries.

    ``number`` is that of its first change, ``undoes`` the change that this one took back, ``name`` that of its entry.
    """

    number: int
    at: datetime
    who: str
    action: Action
    origin: str
    name: str
    added: int
    changed: int
    deleted: int
    undoes: int | None = Field(None, exclude=True)

    @property
    def count(self) -> int:
        """How many changes there are."""
        return self.added + self.changed + self.deleted


class PlannedRow(BaseModel, frozen=True):
    """What importing a row would do to the dictionary, field by field.

    ``conflicting`` would be added beside published meanings that give the same term another meaning in the same
    context: ``rivals``, which a changed or unchanged one may have, too. ``line`` is the row's in its file.
    """

    line: int = 0
    verdict: ImportVerdict
    sense: Sense | None = None
    context: Context | None = None
    differences: tuple[FieldChange, ...]
    rivals: tuple[Sense, ...] = ()


class ImportReport(BaseModel, frozen=True):
    """How many rows of a file were new, changed what was there, or were there already.

    In a preview ``conflicting`` counts those new ones that stand beside another meaning in the same context, ``added``
    the others; ``rows`` are those that would change something, ``rows_left_off`` how many more there are.
    """

    added: int
    changed: int
    unchanged: int
    conflicting: int = 0
    rows: tuple[PlannedRow, ...] = ()
    rows_left_off: int = 0


class Imported(BaseModel, frozen=True):
    """What an import did, or with ``preview`` would do; null for a file that was not sent.

    Undoing the batch ``change`` takes it back; null where nothing was changed.
    """

    preview: bool
    change: int | None = None
    terms: ImportReport | None = None
    contexts: ImportReport | None = None


class Finding(BaseModel, frozen=True):
    """Something to look at: what it is, in a sentence, and the numbers of the meanings that it is about."""

    kind: FindingKind
    text: str
    senses: tuple[int, ...] = ()


def differences(before: Sense | Context | None, after: Sense | Context | None) -> tuple[FieldChange, ...]:
    """Return the fields in which two forms of an entry differ, each with its old and its new value (None: no entry)."""
    names = Sense.model_fields if isinstance(after or before, Sense) else Context.model_fields
    sides = ((name, getattr(before, name, None), getattr(after, name, None)) for name in names if name != "id")
    return tuple(
        FieldChange(field=name, before=old, after=new) for name, old, new in sides if old != new and (old or new)
    )
