"""View, add, edit, publish, merge and delete meanings and contexts.

Each function takes the caller, and blocks. Further errors: ``Unavailable`` if the database does not answer,
``InvalidInput`` if a field is not valid.
"""

from collections.abc import Sequence
from typing import Any

from contracts.dictionary import (
    ChangedSenses,
    ContextEntry,
    DeletedContext,
    DeletedSense,
    LookupResult,
    SenseEntry,
    SenseFilter,
    SensePage,
)
from contracts.errors import InvalidInput, NotFound, PreconditionFailed
from contracts.jargon import Context, SenseState
from jargon_db.store import JargonStore
from library.store import LibraryStore
from serving.access import Actor, expect_all_groups
from serving.dictionary.bodies import ContextIn, MeaningIn, SenseIn, SensePatch
from serving.preconditions import entry_version


class EntryService:
    """The meanings and contexts in ``store``; mined meanings are visible to those who may read their evidence in
    ``library``.
    """

    def __init__(self, store: JargonStore, library: LibraryStore) -> None:
        self._store = store
        self._library = library

    def senses(self, actor: Actor, wanted: SenseFilter, *, limit: int = 50, offset: int = 0) -> SensePage:
        return self._of(actor).page(wanted, limit=limit, offset=offset)

    def sense(self, actor: Actor, number: int) -> SenseEntry:
        """Return a meaning.

        Raises:
            NotFound: there is no such meaning.
        """
        return self._of(actor).entry(number)

    def add_sense(self, actor: Actor, given: SenseIn) -> SenseEntry:
        """Add a meaning; an existing one is left as it is.

        Raises:
            Conflict: it exists.
        """
        return self._added(actor, given.term, given, given.state)

    def edit_sense(self, actor: Actor, number: int, given: SenseIn, etag: str | None) -> SenseEntry:
        """Change a meaning as given: all of it, or the fields that a ``SensePatch`` names.

        A patch of only the state publishes, rejects or drafts. ``etag`` is that of the version that the caller saw.

        Raises:
            NotFound: there is no such meaning.
            Conflict: another entry has this meaning.
            PreconditionFailed: its version is not that of ``etag``.
            PreconditionMissing: there is no ``etag``.
        """
        patched = isinstance(given, SensePatch)
        fields: dict[str, Any] = given.model_dump(include=given.model_fields_set if patched else None)
        if not fields:
            raise InvalidInput("There is nothing to change: name a field with its new value.")
        if patched and set(fields) == {"state"}:
            return self.set_state(actor, number, given.state, etag)
        store, seen = self._of(actor), entry_version(etag, number, what=f"the sense {number}")
        store.edit_sense(number, fields, version=seen)
        return store.entry(number)

    def set_state(self, actor: Actor, number: int, state: SenseState, etag: str | None) -> SenseEntry:
        """Publish, reject or draft a meaning; errors are those of ``edit_sense``."""
        store, seen = self._of(actor), entry_version(etag, number, what=f"the sense {number}")
        store.set_state(number, state, version=seen)
        return store.entry(number)

    def delete_sense(self, actor: Actor, number: int, etag: str | None) -> DeletedSense:
        """Delete a meaning; errors are those of ``edit_sense``."""
        seen = entry_version(etag, number, what=f"the sense {number}")
        return self._of(actor).remove_sense(number, version=seen)

    def merge(self, actor: Actor, old: str, into: str) -> ChangedSenses:
        """Merge two terms: ``old`` becomes an alias of ``into``.

        Raises:
            NotFound: there is no such term.
            InvalidInput: both are the same, or a spelling is ambiguous.
        """
        expect_all_groups(actor, "Merging terms")
        return self._of(actor).merge_terms(old, into)

    def look_up(self, _: Actor, spellings: Sequence[str]) -> tuple[LookupResult, ...]:
        found = self._store.look_up(spellings)
        return tuple(LookupResult(term=each, senses=senses) for each, senses in found.items())

    def contexts(self, _: Actor) -> tuple[ContextEntry, ...]:
        return self._store.context_entries()

    def context(self, _: Actor, name: str) -> ContextEntry:
        """Return a context, by its name in any letter case.

        Raises:
            NotFound: there is no such context.
        """
        return self._store.context_entry(name)

    def put_context(self, actor: Actor, name: str, given: ContextIn, etag: str | None) -> tuple[ContextEntry, bool]:
        """Describe a context, and return whether it is new; a new one must have no ``etag``.

        Raises:
            PreconditionFailed: its version is not that of ``etag``. PreconditionMissing: it exists and there is no
            ``etag``.
        """
        store, seen = self._store.acting_as(actor.name), 0
        try:
            there: ContextEntry | None = store.context_entry(name)
        except NotFound:
            there = None
        if there is not None or etag:
            seen_or_any = entry_version(etag, there.id if there is not None else None, what=f"the context {name!r}")
            if there is None:
                raise PreconditionFailed(
                    f"There is no context {name!r} (any more): nothing was changed. Leave If-Match out to add it."
                )
            seen = there.version if seen_or_any is None else seen_or_any
        if given.name is not None and " ".join(given.name.split()).casefold() != " ".join(name.split()).casefold():
            raise InvalidInput(
                f"The name of a context ({name!r}) cannot change, except for letter case. Add {given.name!r} and move "
                "the meanings there.",
                field="name",
            )
        spelt = given.name or (there.name if there is not None else name)
        wanted = Context(name=spelt, description=given.description, examples=tuple(given.examples))
        store.put_context(wanted, version=seen)
        return store.context_entry(name), there is None

    def delete_context(self, actor: Actor, name: str, etag: str | None) -> DeletedContext:
        """Delete a context that no meaning is bound to.

        Raises:
            NotFound: there is no such context.
            Conflict: meanings are bound to it.
            PreconditionFailed, PreconditionMissing: as in ``put_context``.
        """
        store = self._store.acting_as(actor.name)
        seen = entry_version(etag, store.context_entry(name).id, what=f"the context {name!r}")
        return store.remove_context(name, version=seen)

    def _of(self, actor: Actor) -> JargonStore:
        """Return a store of what ``actor`` may see, which records changes under their name."""
        groups, library = actor.groups, self._library
        if groups is None:
            return self._store.acting_as(actor.name)
        return JargonStore(library.engine, who=actor.name, may_read=lambda names: library.names_in(names, groups))

    def _added(self, actor: Actor, term: str, given: MeaningIn, state: SenseState) -> SenseEntry:
        store = self._of(actor)
        fields = given.model_dump(include=set(MeaningIn.model_fields))
        return store.entry(store.add_sense(term, state=state, only_new=True, **fields).id)
