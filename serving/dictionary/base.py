"""What the dictionary's routes need from the rest of the program."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.previewing import QuestionPreviewer
from contracts.jargon import Context, Sense, SenseState
from contracts.text import PageBox
from jargon_db.pages import SenseFilter, SenseOrder, SensePage
from jargon_db.values import (
    Batch,
    Candidate,
    Change,
    ContextEntry,
    CorrectionEntry,
    DraftChoice,
    Evidence,
    Finding,
    ImportReport,
    Kind,
    PlannedRow,
    SenseEntry,
    UnknownTerm,
)
from serving.access import Actor


class DictionaryReader(Protocol):
    """Reads the dictionary. Blocking and thread-safe; errors are those of ``jargon_db.reading.JargonReader``."""

    def version(self) -> str:
        """Return a text that changes with each change of the dictionary."""
        ...

    def page(self, wanted: SenseFilter, *, order: SenseOrder = "term", limit: int = 50, offset: int = 0) -> SensePage:
        """Return at most ``limit`` senses that ``wanted`` names, after the first ``offset``."""
        ...

    def entry(self, sense_id: int) -> SenseEntry:
        """Return one sense with its version."""
        ...

    def entries(
        self, *, term: str | None = None, context: str | None = None, state: SenseState | None = None
    ) -> tuple[SenseEntry, ...]:
        """Return the senses with this term, context and state, each with its version."""
        ...

    def look_up(self, terms: Sequence[str], *, state: SenseState = "published") -> Mapping[str, tuple[Sense, ...]]:
        """Look senses up by term or alias."""
        ...

    def context_entries(self) -> tuple[ContextEntry, ...]:
        """Return every context with its version, by name."""
        ...

    def context_entry(self, name: str) -> ContextEntry:
        """Return a context with its version."""
        ...

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the drafts with their evidence and conflicts, best evidence first."""
        ...

    def unknown_terms(self) -> tuple[UnknownTerm, ...]:
        """Return the queue of unknown terms, the most frequent first."""
        ...

    def correction_entries(self, limit: int = 1_000) -> tuple[CorrectionEntry, ...]:
        """Return the meanings that askers chose, newest first."""
        ...

    def history(self, term: str | None = None, *, limit: int = 100, before: int | None = None) -> tuple[Change, ...]:
        """Return the latest changes, newest first."""
        ...

    def batches(self, *, limit: int = 100) -> tuple[Batch, ...]:
        """Return the latest batches (what was changed at once, such as an import), newest first."""
        ...

    def batch_changes(self, number: int, *, limit: int | None = None) -> tuple[Change, ...]:
        """Return the changes that were made with the change ``number``, in their order."""
        ...

    def choose_drafts(self, least_score: float) -> DraftChoice:
        """Say what ``publish_drafts`` would publish."""
        ...

    def latest_changes(self, kind: Kind, entries: Sequence[int]) -> Mapping[int, Change]:
        """Return the last change of each of ``entries``."""
        ...


class DictionaryKeeper(DictionaryReader, Protocol):
    """Keeps the dictionary. Blocking and thread-safe; errors are those of ``jargon_db.store.JargonStore``."""

    def acting_as(self, who: str) -> "DictionaryKeeper":
        """Return a keeper of the same dictionary that notes its changes under the name ``who``."""
        ...

    def add_sense(
        self,
        term: str,
        extended_name: str,
        *,
        context: str = "",
        description: str = "",
        notes: str = "",
        source: str = "",
        aliases: Sequence[str] = (),
        state: SenseState = "published",
        only_new: bool = False,
    ) -> Sense:
        """Put a sense in."""
        ...

    def change_sense(self, sense: Sense, *, version: int | None = None) -> Sense:
        """Let the sense with this id be as given; ``version`` is the one that the caller saw."""
        ...

    def set_state(self, sense_id: int, state: SenseState, *, version: int | None = None) -> Sense:
        """Publish, reject or draft a sense."""
        ...

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> tuple[Sense, ...]:
        """Publish, reject or draft senses, all of them or none; ``versions`` are those that the caller saw."""
        ...

    def publish_drafts(self, least_score: float, *, with_conflicts: bool = False) -> DraftChoice:
        """Publish the mined drafts whose best evidence scores at least ``least_score``, all or none."""
        ...

    def remove_sense(self, sense_id: int, *, version: int | None = None) -> Sense:
        """Remove a sense, and return it."""
        ...

    def merge_terms(self, old: str, new: str, *, versions: Mapping[int, int] | None = None) -> tuple[Sense, ...]:
        """Move the senses of the term ``old`` to the term ``new``; ``versions`` are those that the caller saw."""
        ...

    def undo(self, number: int) -> tuple[Change, ...]:
        """Take a change back."""
        ...

    def undo_batch(self, number: int) -> Batch:
        """Take back all that was changed with the change ``number``."""
        ...

    def put_context(self, context: Context, *, version: int | None = None) -> None:
        """Describe a context, new or known; ``version`` is the one that the caller saw, 0: it is new."""
        ...

    def remove_context(self, name: str, *, version: int | None = None) -> None:
        """Remove a context that no sense is bound to."""
        ...

    def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody has defined."""
        ...

    def dismiss_unknown(self, term: str) -> None:
        """Take a term off the queue of unknown terms."""
        ...

    def redact_questions(self) -> int:
        """Forget every question that is kept, and return how many there were."""
        ...


class SheetExchanger(Protocol):
    """Brings the dictionary in from CSV and XLSX files and out to them. Blocking."""

    def bring_in(self, who: str, terms: Path | None, contexts: Path | None) -> tuple[ImportReport, ImportReport]:
        """Import the files under the name ``who``, both or neither; return the terms' report first.

        Raises:
            InvalidInput: a file cannot be read, or rows of it are wrong; then ``lines`` of the error lists them.
        """
        ...

    def preview(
        self, terms: Path | None, contexts: Path | None
    ) -> tuple[tuple[PlannedRow, ...], tuple[PlannedRow, ...]]:
        """Say what ``bring_in`` would do, row by row, and change nothing; the terms' rows first.

        Raises:
            InvalidInput: as of ``bring_in``.
        """
        ...

    def write_terms(self, path: Path) -> int:
        """Write every sense to a CSV or XLSX file, and return how many there are."""
        ...

    def write_contexts(self, path: Path) -> int:
        """Write every context to a CSV or XLSX file, and return how many there are."""
        ...


class DictionaryInspector(Protocol):
    """Says what in the dictionary deserves the manager's look. Blocking."""

    def inspect(self) -> tuple[Finding, ...]:
        """Return what is to be looked at."""
        ...


class SpellingFinder(Protocol):
    """Finds spellings that the dictionary or the documents know. Blocking."""

    def near(
        self, terms: Sequence[str], limit: int, *, groups: frozenset[str] | None = None
    ) -> Mapping[str, Sequence[str]]:
        """Return spellings near to each of ``terms``: at most ``limit`` of the dictionary's, then the documents'.

        Of documents, those of ``groups`` (None: all).
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedEvidence:
    """What speaks for a term, and where it stands: the document's id ("": not found), and its boxes on the page."""

    evidence: Evidence
    document_id: str = ""
    boxes: tuple[PageBox, ...] = ()


class EvidencePlacer(Protocol):
    """Finds where evidence stands in the documents. Blocking."""

    def place(
        self, evidence: Sequence[Evidence], *, groups: frozenset[str] | None = None
    ) -> tuple[PlacedEvidence, ...]:
        """Return each of ``evidence`` with its place, among the documents of ``groups`` (None: all)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryDesk:
    """What the routes of the dictionary work with.

    ``limited`` returns a keeper for those who may read the documents of some groups only.
    """

    keeper: DictionaryKeeper
    limited: Callable[[frozenset[str]], DictionaryKeeper]
    sheets: SheetExchanger
    inspector: DictionaryInspector
    spellings: SpellingFinder
    places: EvidencePlacer
    previewer: QuestionPreviewer

    def keeper_for(self, actor: Actor) -> DictionaryKeeper:
        """Return a keeper of what ``actor`` may see, which notes changes under their name."""
        keeper = self.keeper if actor.groups is None else self.limited(actor.groups)
        return keeper.acting_as(actor.name)
