"""The dictionary as its manager sees it: stored entries, candidates, changes, imports."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, computed_field

from contracts.items import ItemPage, Items
from contracts.jargon import Context, Sense

Action = Literal["add", "edit", "publish", "reject", "draft", "merge", "delete", "import", "mine", "forget", "undo"]
EntryKind = Literal["sense", "context"]
FieldValue = str | int | tuple[str, ...] | None


class StoredEntry(BaseModel, frozen=True):
    """A stored entry.

    ``version`` starts at 1 and grows with each change; send ``etag`` as ``If-Match`` of an edit. ``last_change`` is the
    number of its last change, which can be undone; null if the history does not go back that far. ``changed_by`` is
    empty if the program itself made it.
    """

    id: int
    version: int
    changed_by: str = ""
    last_change: int | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The entity tag of this version."""
        return f'"v{self.version}"'


class SenseEntry(StoredEntry, Sense, frozen=True):
    """A stored meaning."""

    changed_at: datetime

    @property
    def sense(self) -> Sense:
        return Sense(**{name: getattr(self, name) for name in Sense.model_fields})


class ContextEntry(StoredEntry, Context, frozen=True):
    """A stored context."""

    id: int = Field(exclude=True)

    @property
    def context(self) -> Context:
        return Context(**{name: getattr(self, name) for name in Context.model_fields})


class StateCounts(BaseModel, frozen=True):
    """How many meanings there are of each state."""

    draft: int = 0
    published: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        return self.draft + self.published + self.rejected


class SenseFilter(BaseModel, frozen=True):
    """Which meanings to return; None means any.

    ``term`` and ``context`` ("" for everywhere) are compared folded. ``text`` occurs in the term, an alias, the
    extended name, the context, the description or the notes. Meanings whose numbers are ``hidden`` are left out.
    """

    state: Literal["draft", "published", "rejected"] | None = None
    context: str | None = None
    term: str | None = None
    text: str = ""
    hidden: frozenset[int] = frozenset()


class SensePage(ItemPage[SenseEntry], frozen=True):
    """A page of meanings.

    ``total`` is how many match the filter; ``counts`` how many would match in each state.
    """

    counts: StateCounts


class DeletedSense(BaseModel, frozen=True):
    """A deleted meaning, and the number of its deletion, which can be undone."""

    deleted: Sense
    change: int | None


class DeletedContext(BaseModel, frozen=True):
    """A deleted context, and the number of its deletion, which can be undone."""

    deleted: Context
    change: int | None


class ChangedSenses(Items[SenseEntry], frozen=True):
    """The meanings as they are now; undoing the batch ``change`` reverts all of it. Null if nothing changed."""

    change: int | None


class Evidence(BaseModel, frozen=True):
    """A sentence of a document that defines a term; ``score`` in [0, 1] is the miner's."""

    document: str
    page: int
    sentence: str
    score: float


class Candidate(BaseModel, frozen=True):
    """A draft with its evidence, best first, its best score, and the published meanings of the same term."""

    sense: SenseEntry
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Sense, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float:
        """The score of the best evidence; 0 if there is none."""
        return max((each.score for each in self.evidence), default=0.0)


class ChosenDrafts(BaseModel, frozen=True):
    """Drafts that are or would be published, and drafts that stay drafts because they contradict others.

    The ``conflicts`` of each include other chosen drafts of its term. Undoing the batch ``change`` reverts the
    publication; null if nothing was changed.
    """

    published: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    change: int | None = None


class UnknownTerm(BaseModel, frozen=True):
    """A term that was asked about and that nobody has defined.

    ``last_question`` and ``context`` are those of the last question about it, empty if unknown.
    """

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime


class FieldChange(BaseModel, frozen=True):
    """A field that differs; null if there was, or is, no entry."""

    field: str
    before: FieldValue = None
    after: FieldValue = None


class Change(BaseModel, frozen=True):
    """A change: who made it, when (UTC), and the entry before and after; null if it did not exist.

    ``entry`` is the id of the entry, ``version`` its version after the change. ``who`` is empty if the program itself
    did it. ``undoes`` is the number of the change that this one undid, ``batch`` that of the first change made together
    with it, ``origin`` the file or document that it came from.
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
        """The term or the context's name, after the change if the entry still exists."""
        kept = self.after or self.before
        assert kept is not None
        return kept.term if isinstance(kept, Sense) else kept.name

    @computed_field  # type: ignore[prop-decorator]
    @property
    def differences(self) -> tuple[FieldChange, ...]:
        """The fields that changed; for a new or deleted entry, all fields that are not empty."""
        return differences(self.before, self.after)


class ImportReport(BaseModel, frozen=True):
    """How many rows of a file were new, changed an entry, or matched one.

    In a preview, ``rows`` are changes that it would make, ``rows_left_off`` how many more there are.
    """

    added: int
    changed: int
    unchanged: int
    rows: tuple[Change, ...] = ()
    rows_left_off: int = 0


class Imported(BaseModel, frozen=True):
    """The result of an import, or the expected one; null for a file that was not sent.

    Undoing the batch ``change`` reverts it; null if nothing was changed.
    """

    change: int | None = None
    terms: ImportReport | None = None
    contexts: ImportReport | None = None


def differences(before: Sense | Context | None, after: Sense | Context | None) -> tuple[FieldChange, ...]:
    """Return the fields in which two forms of an entry differ, each with its old and its new value (None: no entry)."""
    names = Sense.model_fields if isinstance(after or before, Sense) else Context.model_fields
    sides = ((name, getattr(before, name, None), getattr(after, name, None)) for name in names if name != "id")
    return tuple(
        FieldChange(field=name, before=old, after=new) for name, old, new in sides if old != new and (old or new)
    )
