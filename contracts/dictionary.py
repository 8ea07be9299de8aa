"""The dictionary from its manager's point of view: stored entries, candidates, changes and imports."""

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

    ``version`` starts at 1 and grows with each change; send ``etag`` as the ``If-Match`` header of an edit.
    ``last_change`` is the number of the entry's last change, which can be undone; null if the history does not go back
    that far. ``changed_by`` is empty if the program itself made the change.
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
    """The number of meanings in each state."""

    draft: int = 0
    published: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        return self.draft + self.published + self.rejected


class SenseFilter(BaseModel, frozen=True):
    """The meanings to return; None means any.

    ``term`` and ``context`` ("" for everywhere) ignore letter case and accents. ``text`` must occur in the term, an
    alias, the extended name, the context, the description or the notes. Meanings with ``hidden`` numbers are left out.
    """

    state: Literal["draft", "published", "rejected"] | None = None
    context: str | None = None
    term: str | None = None
    text: str = ""
    hidden: frozenset[int] = frozenset()


class SensePage(ItemPage[SenseEntry], frozen=True):
    """A page of meanings.

    ``total`` is the number of meanings that match the filter; ``counts`` are the numbers of matches in each state.
    """

    counts: StateCounts


class DeletedSense(BaseModel, frozen=True):
    """A deleted meaning, and the number of the deletion, which can be undone."""

    deleted: Sense
    change: int | None


class DeletedContext(BaseModel, frozen=True):
    """A deleted context, and the number of the deletion, which can be undone."""

    deleted: Context
    change: int | None


class ChangedSenses(Items[SenseEntry], frozen=True):
    """The meanings after the change. Undoing the batch ``change`` (null if nothing changed) reverts all of them."""

    change: int | None


class Evidence(BaseModel, frozen=True):
    """A sentence in a document that defines a term; ``score`` in [0, 1] comes from the term miner."""

    document: str
    page: int
    sentence: str
    score: float


class Candidate(BaseModel, frozen=True):
    """A draft meaning with its evidence, best first, and the published meanings of the same term."""

    sense: SenseEntry
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Sense, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float:
        """The score of the best evidence; 0 if there is none."""
        return max((each.score for each in self.evidence), default=0.0)


class ChosenDrafts(BaseModel, frozen=True):
    """Drafts that were or would be published, and drafts that remain drafts because they contradict other meanings.

    The ``conflicts`` of a draft include other chosen drafts of its term. Undoing the batch ``change`` (null if nothing
    was changed) reverts the publication.
    """

    published: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    change: int | None = None


class UnknownTerm(BaseModel, frozen=True):
    """An undefined term that somebody asked about.

    ``last_question`` and ``context`` belong to the last question about the term; they are empty if unknown.
    """

    term: str
    count: int
    last_question: str
    context: str
    first_asked_at: datetime
    last_asked_at: datetime


class FieldChange(BaseModel, frozen=True):
    """A changed field with its old and new value; null if the entry did not exist, or no longer exists."""

    field: str
    before: FieldValue = None
    after: FieldValue = None


class Change(BaseModel, frozen=True):
    """A change: who made it, when (in UTC), and the entry before and after it (null if the entry did not exist).

    ``entry`` is the id of the entry, ``version`` its version after the change. ``who`` is empty if the program itself
    made the change. ``undoes`` is the number of the change that this one undid; ``batch`` is the number of the first
    change that was made together with this one; ``origin`` is the file or document that the change came from.
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
        """The term, or the name of the context; after the change if the entry still exists, otherwise before it."""
        kept = self.after or self.before
        assert kept is not None
        return kept.term if isinstance(kept, Sense) else kept.name

    @computed_field  # type: ignore[prop-decorator]
    @property
    def differences(self) -> tuple[FieldChange, ...]:
        """The fields that changed; for a new or deleted entry, all fields that are not empty."""
        return differences(self.before, self.after)


class ImportReport(BaseModel, frozen=True):
    """The number of rows in a file that were new, changed an entry, or matched one.

    In a preview, ``rows`` are the first changes that the import would make, and ``rows_left_off`` counts the others.
    """

    added: int
    changed: int
    unchanged: int
    rows: tuple[Change, ...] = ()
    rows_left_off: int = 0


class Imported(BaseModel, frozen=True):
    """The result of an import, or of its preview; null for a file that was not sent.

    Undoing the batch ``change`` (null if nothing was changed) reverts the import.
    """

    change: int | None = None
    terms: ImportReport | None = None
    contexts: ImportReport | None = None


def differences(before: Sense | Context | None, after: Sense | Context | None) -> tuple[FieldChange, ...]:
    """Return the fields that differ between two versions of an entry (None: no entry), with old and new values."""
    names = Sense.model_fields if isinstance(after or before, Sense) else Context.model_fields
    sides = ((name, getattr(before, name, None), getattr(after, name, None)) for name in names if name != "id")
    return tuple(
        FieldChange(field=name, before=old, after=new) for name, old, new in sides if old != new and (old or new)
    )
