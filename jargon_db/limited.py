"""The dictionary for somebody who may not read every document: what only others may read is not there."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from contracts.dictionary import (
    Candidate,
    ChangedSenses,
    ChosenDrafts,
    DeletedSense,
    SenseEntry,
    SenseFilter,
    SenseOrder,
    SensePage,
)
from contracts.errors import InvalidInput
from contracts.jargon import Sense, SenseState
from database.session import reading
from jargon_db.candidates import choose_drafts
from jargon_db.models import evidence, senses
from jargon_db.senses import not_there
from jargon_db.store import JargonStore

# Of document names, those that somebody may read: every document of that name.
MayRead = Callable[[Collection[str]], frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What was mined and is not published: ``hidden`` from nothing readable, ``mixed`` from some that is.

    A mixed one has the place that is named as its source instead. ``readable`` are the documents by name.
    """

    hidden: frozenset[int]
    mixed: Mapping[int, str]
    readable: frozenset[str]


class LimitedJargonStore(JargonStore):
    """Keeps the dictionary for somebody who may read some documents: ``may_read`` says which, by their names.

    What people published is everybody's. Of what was mined and is not published (yet, or was rejected), that which no
    readable document says is not there; that which other documents say too is shown without what may be theirs, and
    is left to whoever may read them all. Evidence of other documents is never shown.
    """

    def __init__(self, engine: Engine, *, may_read: MayRead, who: str = "", keep_questions: bool = True) -> None:
        super().__init__(engine, who=who, keep_questions=keep_questions)
        self._may_read = may_read

    def acting_as(self, who: str) -> "LimitedJargonStore":
        """Return a store of the same dictionary, limited alike, that notes its changes under the name ``who``."""
        return LimitedJargonStore(self._engine, may_read=self._may_read, who=who, keep_questions=self._keep_questions)

    def page(self, wanted: SenseFilter, *, order: SenseOrder = "term", limit: int = 50, offset: int = 0) -> SensePage:
        """Return a page of the senses that are shown, and how many of them there are."""
        view = self._view()
        # A text could be found in what is not shown of a mixed one.
        unseen = view.hidden | view.mixed.keys() if wanted.text.strip() else view.hidden
        wanted = wanted.model_copy(update={"hidden": frozenset(unseen)})
        page = super().page(wanted, order=order, limit=limit, offset=offset)
        return page.model_copy(update={"items": tuple(_entry_in(view, entry) for entry in page.items)})

    def entry(self, sense_id: int) -> SenseEntry:
        """Return one sense that is shown.

        Raises:
            NotFound: there is no such sense.
        """
        view = self._view()
        if sense_id in view.hidden:
            raise not_there(sense_id)
        return _entry_in(view, super().entry(sense_id))

    def entries(
        self, *, term: str | None = None, context: str | None = None, state: SenseState | None = None
    ) -> tuple[SenseEntry, ...]:
        """Return the senses that are shown with this term, context and state."""
        view = self._view()
        found = super().entries(term=term, context=context, state=state)
        return tuple(_entry_in(view, entry) for entry in found if entry.id not in view.hidden)

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the drafts that are shown with the evidence of readable documents, best evidence first."""
        view = self._view()
        shown = [
            Candidate(
                sense=_entry_in(view, each.sense),
                evidence=tuple(place for place in each.evidence if place.document in view.readable),
                conflicts=each.conflicts,
            )
            for each in super().candidates()
            if each.sense.id not in view.hidden
        ]
        return tuple(sorted(shown, key=lambda each: -each.score))

    def choose_drafts(self, least_score: float, *, with_conflicts: bool = False) -> ChosenDrafts:
        """Say what ``publish_drafts`` would publish."""
        mixed = self._view().mixed
        own = [each for each in self.candidates() if each.sense.id not in mixed]
        return choose_drafts(own, least_score, with_conflicts=with_conflicts)

    def publish_drafts(self, least_score: float, *, with_conflicts: bool = False) -> ChosenDrafts:
        """Publish the drafts that readable documents alone speak for, and that score ``least_score`` or more."""
        choice = self.choose_drafts(least_score, with_conflicts=with_conflicts)
        ids = [each.sense.id for each in choice.published]
        change = self.set_states(ids, "published").change if ids else None
        return choice.model_copy(update={"preview": False, "change": change})

    def edit_sense(self, sense_id: int, fields: Mapping[str, Any], *, version: int | None = None) -> Sense:
        """Let ``fields`` of a sense be as given, as ``JargonStore`` does."""
        self._expect_own([sense_id])
        return super().edit_sense(sense_id, fields, version=version)

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> ChangedSenses:
        """Publish, reject or draft senses, as ``JargonStore`` does."""
        self._expect_own(sense_ids)
        return super().set_states(sense_ids, state, versions=versions)

    def remove_sense(self, sense_id: int, *, version: int | None = None) -> DeletedSense:
        """Remove a sense, as ``JargonStore`` does."""
        self._expect_own([sense_id])
        return super().remove_sense(sense_id, version=version)

    def _expect_own(self, sense_ids: Sequence[int]) -> None:
        """See that all of these are shown whole.

        Raises:
            NotFound: one is not shown.
            InvalidInput: one is shown in part.
        """
        view = self._view()
        for sense_id in sense_ids:
            if sense_id in view.hidden:
                raise not_there(sense_id)
            if sense_id in view.mixed:
                raise InvalidInput(
                    f"The draft {sense_id} was found in documents that you may not read, too: leave it to somebody who "
                    "may read them all."
                )

    def _view(self) -> _View:
        query = (
            select(evidence.c.sense_id, evidence.c.document, evidence.c.page)
            .join(senses, senses.c.id == evidence.c.sense_id)
            .where(senses.c.state != "published")
            .order_by(evidence.c.score.desc(), evidence.c.id)
        )
        with reading(self._engine) as connection:
            places = [(int(row.sense_id), str(row.document), int(row.page)) for row in connection.execute(query)]
        readable = self._may_read({document for _, document, _ in places})
        shown: dict[int, str] = {}
        partly: set[int] = set()
        for sense_id, document, page in places:
            if document in readable:
                shown.setdefault(sense_id, f"{document}, page {page}")
            else:
                partly.add(sense_id)
        return _View(
            hidden=frozenset(partly - shown.keys()),
            mixed={sense_id: shown[sense_id] for sense_id in partly & shown.keys()},
            readable=readable,
        )


def _entry_in(view: _View, entry: SenseEntry) -> SenseEntry:
    # Nobody knows which of the documents the description is from.
    source = view.mixed.get(entry.id)
    return entry if source is None else entry.model_copy(update={"description": "", "notes": "", "source": source})
