"""Reads the dictionary: senses, contexts, spellings, drafts, unknown terms and the change log."""

from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import Engine, select

from contracts.dictionary import (
    Candidate,
    Change,
    ChosenDrafts,
    ContextEntry,
    SenseEntry,
    SenseFilter,
    SensePage,
    UnknownTerm,
)
from contracts.jargon import Context, Correction, Sense, SenseState, Vocabulary
from database.statements import in_batches
from database.transactions import reading
from jargon_db.candidates import choose_drafts, select_candidates
from jargon_db.change_log import select_changes, with_last_changes
from jargon_db.contexts import get_context, select_context_entries, select_contexts
from jargon_db.corrections import corrections_version, select_corrections
from jargon_db.normalization import closest_first, fold
from jargon_db.sense_queries import (
    conditions_of,
    no_such_sense,
    select_entries,
    select_page,
    select_senses,
    select_version,
)
from jargon_db.tables import aliases, evidence, senses, terms
from jargon_db.unknown_terms import select_unknown

_RENAMED = aliases.alias("renamed")
# Returns those document names for which the user may read all documents with this name.
MayRead = Callable[[Collection[str]], frozenset[str]]


class JargonReader:
    """Reads the dictionary. The calls block and are thread-safe; each is one transaction.

    ``may_read`` is for users who may read only some documents: mined drafts and rejected senses are then hidden unless
    the user may read all documents that are evidence for them. Published senses are visible to everybody.
    """

    def __init__(self, engine: Engine, *, may_read: MayRead | None = None) -> None:
        self._engine = engine
        self._may_read = may_read

    def version(self) -> str:
        """Return text that changes whenever any process changes the dictionary."""
        with reading(self._engine) as connection:
            return select_version(connection)

    def senses(
        self, *, term: str | None = None, context: str | None = None, state: SenseState | None = None
    ) -> tuple[Sense, ...]:
        """Return the senses with this term, context ("" for everywhere) and state, in any letter case (None: any)."""
        with reading(self._engine) as connection:
            wanted = SenseFilter(term=term, context=context, state=state)
            return tuple(select_senses(connection, *conditions_of(wanted)).values())

    def with_last_changes(self, entries: Sequence[SenseEntry]) -> tuple[SenseEntry, ...]:
        """Return ``entries`` with the author and number of their last change."""
        with reading(self._engine) as connection:
            return with_last_changes(connection, "sense", entries)

    def page(self, wanted: SenseFilter, *, limit: int = 50, offset: int = 0) -> SensePage:
        """Return at most ``limit`` (up to 500) senses that match ``wanted``, after the first ``offset``."""
        shown = wanted.model_copy(update={"hidden": self._hidden()})
        with reading(self._engine) as connection:
            return select_page(connection, shown, limit=limit, offset=offset)

    def entry(self, sense_id: int) -> SenseEntry:
        """Return one sense with its version. Raises ``NotFound``."""
        self._expect_shown([sense_id])
        with reading(self._engine) as connection:
            found = select_entries(connection, senses.c.id == sense_id).values()
            if not found:
                raise no_such_sense(sense_id)
            return with_last_changes(connection, "sense", found)[0]

    def look_up(self, terms: Sequence[str], *, state: SenseState = "published") -> dict[str, tuple[Sense, ...]]:
        """Look up senses by term or alias, in any letter case; return one entry for each of ``terms``.

        Exact spellings come first (MB before Mb), then the term itself, then aliases.
        """
        found: dict[str, dict[int, Sense]] = {}
        with reading(self._engine) as connection:
            for batch in in_batches(fold(term) for term in terms):
                named = select(_RENAMED.c.sense_id).where(_RENAMED.c.key.in_(batch))
                # A union uses both indexes; with OR, SQLite would scan all published senses.
                match = select(senses.c.id).where(senses.c.term_key.in_(batch)).union(named)
                for sense in select_senses(connection, senses.c.state == state, senses.c.id.in_(match)).values():
                    for key in {fold(spelling) for spelling in (sense.term, *sense.aliases)}:
                        found.setdefault(key, {})[sense.id] = sense
        return {term: tuple(closest_first(term, found.get(fold(term), {}).values())) for term in terms}

    def vocabulary(self) -> Vocabulary:
        """Return the sorted spellings and extended names of published senses, from one snapshot."""
        of_terms = select(terms.c.spelling, senses.c.extended_name).join(senses, senses.c.term_id == terms.c.id)
        of_aliases = select(aliases.c.spelling, terms.c.spelling).join(senses, senses.c.id == aliases.c.sense_id)
        of_aliases = of_aliases.join(terms, terms.c.id == senses.c.term_id)
        published = senses.c.state == "published"
        with reading(self._engine) as connection:
            version = select_version(connection)
            named = connection.execute(of_terms.where(published)).tuples().all()
            renamed = connection.execute(of_aliases.where(published)).tuples().all()
        spelt = [*((term, term) for term, _ in named), *renamed]
        return Vocabulary(version=version, terms=_grouped(spelt), names=_grouped((name, term) for term, name in named))

    def contexts(self) -> tuple[Context, ...]:
        with reading(self._engine) as connection:
            return tuple(each.context for each in select_contexts(connection).values())

    def context_entries(self) -> tuple[ContextEntry, ...]:
        with reading(self._engine) as connection:
            return select_context_entries(connection)

    def context_entry(self, name: str) -> ContextEntry:
        """Return the context with this name, in any letter case, and its version. Raises ``NotFound``."""
        with reading(self._engine) as connection:
            return get_context(connection, name)

    def candidates(self) -> tuple[Candidate, ...]:
        hidden = self._hidden()
        with reading(self._engine) as connection:
            return tuple(each for each in select_candidates(connection) if each.sense.id not in hidden)

    def choose_drafts(self, least_score: float) -> ChosenDrafts:
        return choose_drafts(self.candidates(), least_score)

    def unknown_terms(self) -> tuple[UnknownTerm, ...]:
        """Return the undefined terms that were asked about, most frequent first."""
        with reading(self._engine) as connection:
            return select_unknown(connection)

    def corrections(self, limit: int = 1000) -> tuple[Correction, ...]:
        """Return at most ``limit`` senses that askers chose, newest first, with their current names.

        Unpublished senses are left out.
        """
        with reading(self._engine) as connection:
            return select_corrections(connection, limit)

    def corrections_version(self) -> str:
        """Return text that changes whenever the result of ``corrections`` may change; this call is fast."""
        with reading(self._engine) as connection:
            return corrections_version(connection)

    def history(self, term: str | None = None, *, limit: int = 100, before: int | None = None) -> tuple[Change, ...]:
        """Return the latest changes, newest first, of entries whose name is or was ``term`` (None: all).

        ``term`` may also be the name of a context; letter case is ignored. If ``before`` is given, return only changes
        with a smaller number.
        """
        with reading(self._engine) as connection:
            return select_changes(connection, term, limit, before)

    def _expect_shown(self, sense_ids: Sequence[int]) -> None:
        if wrong := self._hidden().intersection(sense_ids):
            raise no_such_sense(min(wrong))

    def _hidden(self) -> frozenset[int]:
        if self._may_read is None:
            return frozenset()
        query = select(evidence.c.sense_id, evidence.c.document).join(senses, senses.c.id == evidence.c.sense_id)
        with reading(self._engine) as connection:
            places = connection.execute(query.where(senses.c.state != "published")).tuples().all()
        readable = self._may_read({document for _, document in places})
        return frozenset(sense_id for sense_id, document in places if document not in readable)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for spelling, term in pairs:
        if term not in (known := found.get(spelling, ())):
            found[spelling] = (*known, term)
    return {spelling: tuple(sorted(found[spelling])) for spelling in sorted(found)}
