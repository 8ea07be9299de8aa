"""The dictionary's store: senses, contexts, candidates and the queue of unknown terms."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, Engine, delete, select, update

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Context, MinedTerm, Sense, SenseState
from database.session import reading, writing
from database.text import storable
from jargon_db.candidates import add_candidates, forget_evidence, select_candidates
from jargon_db.checks import MAX_TERM_CHARACTERS, checked
from jargon_db.folding import closest_first, fold
from jargon_db.models import aliases, contexts, senses, state, terms
from jargon_db.queries import in_pieces, select_senses
from jargon_db.unknown import forget_unknown, record_unknown, select_unknown
from jargon_db.values import Candidate, ImportReport, UnknownTerm
from jargon_db.writing import (
    advance,
    context_id,
    drop_unused_terms,
    lock,
    meaning_of,
    overwrite_sense,
    put_senses,
    spellings_of,
)

_RENAMED = aliases.alias("renamed")


class JargonStore:
    """Keeps the dictionary. Blocking and thread-safe; each call is one transaction.

    Every method raises ``Unavailable`` where the database cannot be used just now.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def version(self) -> str:
        """Return a text that changes with each change of the dictionary, whichever process makes it."""
        with reading(self._engine) as connection:
            return _version(connection)

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
    ) -> Sense:
        """Put a sense in. One with the same term, context and extended name (compared folded) becomes as given here.

        Raises:
            InvalidInput: a field is empty, too long or contradicts another; the text says which.
        """
        sense = checked(
            Sense(
                id=0,
                term=term,
                extended_name=extended_name,
                context=context,
                description=description,
                notes=notes,
                source=source,
                aliases=tuple(aliases),
                state=state,
            )
        )
        with writing(self._engine) as connection:
            put_senses(connection, [sense])
            same = select_senses(connection, senses.c.term_key == fold(sense.term))
            return next(each for each in same.values() if meaning_of(each) == meaning_of(sense))

    def put_senses(self, wanted: Sequence[Sense]) -> ImportReport:
        """Put all of ``wanted`` in, or none, as ``add_sense`` does; their ids do not count.

        Raises:
            InvalidInput: one of them cannot be stored.
        """
        tidy = [checked(sense) for sense in wanted]
        with writing(self._engine) as connection:
            return put_senses(connection, tidy)

    def change_sense(self, sense: Sense) -> Sense:
        """Let the sense with this id be as given, whatever its fields were before.

        Raises:
            NotFound: there is no such sense.
            Conflict: another sense already has this term, context and extended name.
            InvalidInput: a field cannot be stored.
        """
        tidy = checked(sense)
        with writing(self._engine) as connection:
            advance(connection)
            _expect(connection, sense.id)
            same = select_senses(connection, senses.c.term_key == fold(tidy.term), senses.c.id != sense.id)
            taken = next((each for each in same.values() if meaning_of(each) == meaning_of(tidy)), None)
            if taken is not None:
                where = f"the context {taken.context}" if taken.context else "every context"
                raise Conflict(
                    f"{taken.term} means {taken.extended_name} in {where} already: change that sense instead."
                )
            overwrite_sense(connection, sense.id, tidy)
            changed = _expect(connection, sense.id)
            drop_unused_terms(connection)
            if changed.state == "published":
                forget_unknown(connection, spellings_of(changed))
            return changed

    def senses(
        self, *, term: str | None = None, context: str | None = None, state: SenseState | None = None
    ) -> tuple[Sense, ...]:
        """Return the senses with this term, context ("" for everywhere) and state, in any letter case (None: any)."""
        conditions: list[ColumnElement[bool]] = []
        if term is not None:
            conditions.append(senses.c.term_key == fold(term))
        if context is not None:
            conditions.append(contexts.c.key == fold(context))
        if state is not None:
            conditions.append(senses.c.state == state)
        with reading(self._engine) as connection:
            return tuple(select_senses(connection, *conditions).values())

    def look_up(self, terms: Sequence[str], *, state: SenseState = "published") -> dict[str, tuple[Sense, ...]]:
        """Look senses up by term or alias, in any letter case: one entry for each of ``terms``.

        Senses spelt exactly as asked come first (MB before Mb), then those of the term, then those of an alias.
        """
        found: dict[str, dict[int, Sense]] = {}
        with reading(self._engine) as connection:
            for some in in_pieces(fold(term) for term in terms):
                named = select(_RENAMED.c.sense_id).where(_RENAMED.c.key.in_(some))
                match = senses.c.term_key.in_(some) | senses.c.id.in_(named)
                for sense in select_senses(connection, senses.c.state == state, match).values():
                    for key in {fold(spelling) for spelling in (sense.term, *sense.aliases)}:
                        found.setdefault(key, {})[sense.id] = sense
        return {term: tuple(closest_first(term, found.get(fold(term), {}).values())) for term in terms}

    def spellings(self) -> dict[str, tuple[str, ...]]:
        """Return every spelling of a published term (itself and its aliases) with the terms it stands for."""
        return self.vocabulary()[1]

    def vocabulary(self) -> tuple[str, dict[str, tuple[str, ...]]]:
        """Return the version and the spellings, both of the same moment."""
        published = senses.c.state == "published"
        of_terms = select(terms.c.spelling, terms.c.spelling).join(senses, senses.c.term_id == terms.c.id)
        of_aliases = (
            select(aliases.c.spelling, terms.c.spelling)
            .join(senses, senses.c.id == aliases.c.sense_id)
            .join(terms, terms.c.id == senses.c.term_id)
        )
        found: dict[str, set[str]] = {}
        with reading(self._engine) as connection:
            version = _version(connection)
            for query in (of_terms, of_aliases):
                for spelling, term in connection.execute(query.where(published).distinct()):
                    found.setdefault(spelling, set()).add(term)
        return version, {spelling: tuple(sorted(found[spelling])) for spelling in sorted(found)}

    def set_state(self, sense_id: int, state: SenseState) -> Sense:
        """Publish, reject or draft a sense, and return it.

        Raises:
            NotFound: there is no such sense.
            InvalidInput: there is no such state.
        """
        with writing(self._engine) as connection:
            advance(connection)
            sense = checked(replace(_expect(connection, sense_id), state=state))
            change = update(senses).where(senses.c.id == sense_id)
            connection.execute(change.values(state=state, changed_at=datetime.now(UTC)))
            if state == "published":
                forget_unknown(connection, spellings_of(sense))
            return sense

    def remove_sense(self, sense_id: int) -> None:
        """Remove a sense with its aliases and evidence. A mined one may be offered again: reject it to prevent that.

        Raises:
            NotFound: there is no such sense.
        """
        with writing(self._engine) as connection:
            advance(connection)
            if not connection.execute(delete(senses).where(senses.c.id == sense_id)).rowcount:
                raise NotFound(f"There is no sense {sense_id} in the dictionary.")
            drop_unused_terms(connection)

    def put_context(self, context: Context) -> None:
        """Describe a context, new or known (its name compared folded).

        Raises:
            InvalidInput: the name is empty or too long.
        """
        self.put_contexts([context])

    def put_contexts(self, wanted: Sequence[Context]) -> ImportReport:
        """Describe all of ``wanted``, or none.

        Raises:
            InvalidInput: a name is empty or too long.
        """
        for context in wanted:
            if not fold(context.name) or len(fold(context.name)) > MAX_TERM_CHARACTERS:
                raise InvalidInput(f"A context needs a name of 1 to {MAX_TERM_CHARACTERS} characters.", field="name")
        added = changed = 0
        with writing(self._engine) as connection:
            lock(connection)
            there = {fold(each.name): each for each in _contexts(connection)}
            for given in wanted:
                context = replace(given, name=" ".join(storable(given.name).split()))
                former = there.get(fold(context.name))
                if former == context:
                    continue
                added, changed = (added + 1, changed) if former is None else (added, changed + 1)
                there[fold(context.name)] = context
                _describe(connection, context)
            if added or changed:
                advance(connection)
        return ImportReport(added=added, changed=changed, unchanged=len(wanted) - added - changed)

    def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name; those that only a sense names have no description."""
        with reading(self._engine) as connection:
            return _contexts(connection)

    def add_candidates(self, mined: Sequence[MinedTerm]) -> int:
        """Offer mined terms as draft senses with their evidence, and return how many are new.

        Terms and extended names that differ in letter case, number or hyphens only are the same. What is published or
        was rejected is not offered again; what is a draft gains evidence.
        """
        with writing(self._engine) as connection:
            lock(connection)
            new, touched = add_candidates(connection, mined)
            if touched:
                advance(connection)
            return new

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the drafts with their evidence and the published senses of the same term, best evidence first."""
        with reading(self._engine) as connection:
            return select_candidates(connection)

    def forget_document(self, document: str) -> int:
        """Forget the evidence from a document, and the mined drafts that have no other; return how many drafts went."""
        with writing(self._engine) as connection:
            advance(connection)
            gone = forget_evidence(connection, document)
            drop_unused_terms(connection)
            return gone

    def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody has defined. The dictionary's version stays as it is."""
        with writing(self._engine) as connection:
            record_unknown(connection, term, question, context)

    def unknown_terms(self) -> tuple[UnknownTerm, ...]:
        """Return the terms that were asked for and are not defined, the most frequent first."""
        with reading(self._engine) as connection:
            return select_unknown(connection)

    def dismiss_unknown(self, term: str) -> None:
        """Take a term off the queue of unknown terms.

        Raises:
            NotFound: it is not on the queue.
        """
        with writing(self._engine) as connection:
            if not forget_unknown(connection, [term]):
                raise NotFound(f"{term!r} is not on the queue of unknown terms.")


def _version(connection: Connection) -> str:
    return str(connection.execute(select(state.c.version)).scalar_one())


def _contexts(connection: Connection) -> tuple[Context, ...]:
    query = select(contexts).where(contexts.c.key != "").order_by(contexts.c.key)
    return tuple(
        Context(name=row.name, description=row.description, examples=tuple(row.examples))
        for row in connection.execute(query)
    )


def _describe(connection: Connection, context: Context) -> None:
    values = {"name": context.name, "description": context.description, "examples": list(context.examples)}
    where = contexts.c.id == context_id(connection, context.name)
    connection.execute(update(contexts).where(where).values(values))


def _expect(connection: Connection, sense_id: int) -> Sense:
    sense = select_senses(connection, senses.c.id == sense_id).get(sense_id)
    if sense is None:
        raise NotFound(f"There is no sense {sense_id} in the dictionary.")
    return sense
