"""The dictionary for users who may not read every document: what only others may read is hidden."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, select

from contracts.dictionary import Candidate, ChangedSenses, DeletedSense, SenseEntry, SenseFilter, SensePage
from contracts.jargon import Sense, SenseState
from database.transactions import reading
from jargon_db.sense_queries import no_such_sense
from jargon_db.store import JargonStore
from jargon_db.tables import evidence, senses

# Returns the given document names that the user may read, which means every document of that name.
MayRead = Callable[[Collection[str]], frozenset[str]]


class RestrictedJargonStore(JargonStore):
    """Stores the dictionary for a user who may read some documents: ``may_read`` says which, by name.

    Published senses are visible to everybody. Mined drafts and rejected senses are visible only if the user may read
    every document that is evidence for them.
    """

    def __init__(self, engine: Engine, *, may_read: MayRead, who: str = "", keep_questions: bool = True) -> None:
        super().__init__(engine, who=who, keep_questions=keep_questions)
        self._may_read = may_read

    def acting_as(self, who: str) -> "RestrictedJargonStore":
        return RestrictedJargonStore(
            self._engine, may_read=self._may_read, who=who, keep_questions=self._keep_questions
        )

    def page(self, wanted: SenseFilter, *, limit: int = 50, offset: int = 0) -> SensePage:
        shown = wanted.model_copy(update={"hidden": self._hidden()})
        return super().page(shown, limit=limit, offset=offset)

    def entry(self, sense_id: int) -> SenseEntry:
        self._expect_shown([sense_id])
        return super().entry(sense_id)

    def entries(
        self, *, term: str | None = None, context: str | None = None, state: SenseState | None = None
    ) -> tuple[SenseEntry, ...]:
        hidden = self._hidden()
        return tuple(each for each in super().entries(term=term, context=context, state=state) if each.id not in hidden)

    def candidates(self) -> tuple[Candidate, ...]:
        hidden = self._hidden()
        return tuple(each for each in super().candidates() if each.sense.id not in hidden)

    def edit_sense(self, sense_id: int, fields: Mapping[str, Any], *, version: int | None = None) -> Sense:
        self._expect_shown([sense_id])
        return super().edit_sense(sense_id, fields, version=version)

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> ChangedSenses:
        self._expect_shown(sense_ids)
        return super().set_states(sense_ids, state, versions=versions)

    def remove_sense(self, sense_id: int, *, version: int | None = None) -> DeletedSense:
        self._expect_shown([sense_id])
        return super().remove_sense(sense_id, version=version)

    def _expect_shown(self, sense_ids: Sequence[int]) -> None:
        hidden = self._hidden()
        for sense_id in sense_ids:
            if sense_id in hidden:
                raise no_such_sense(sense_id)

    def _hidden(self) -> frozenset[int]:
        query = select(evidence.c.sense_id, evidence.c.document).join(senses, senses.c.id == evidence.c.sense_id)
        with reading(self._engine) as connection:
            places = connection.execute(query.where(senses.c.state != "published")).tuples().all()
        readable = self._may_read({document for _, document in places})
        return frozenset(sense_id for sense_id, document in places if document not in readable)
