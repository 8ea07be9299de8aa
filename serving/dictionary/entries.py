"""View, add, edit, publish, merge and delete meanings and contexts.

Each function takes the caller, and blocks. Further errors: ``Unavailable`` if the database does not answer,
``InvalidInput`` if a field is not valid.
"""

from typing import Any

from contracts.dictionary import (
    ChangedSenses,
    ContextEntry,
    DeletedContext,
    DeletedSense,
    SenseEntry,
    SenseFilter,
    SensePage,
)
from contracts.errors import InvalidInput
from contracts.jargon import Context, SenseState
from jargon_db.store import JargonStore
from library.store import LibraryStore
from serving.access import Actor, expect_all_groups
from serving.dictionary.bodies import ContextIn, MeaningIn, SenseIn, SensePatch
from serving.preconditions import version_in


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

        A patch of only the state publishes, rejects or drafts. ``etag`` is that of the version that the caller saw,
        if they say it.

        Raises:
            NotFound: there is no such meaning.
            Conflict: another entry has this meaning.
            PreconditionFailed: its version is not that of ``etag``.
        """
        patched = isinstance(given, SensePatch)
        fields: dict[str, Any] = given.model_dump(include=given.model_fields_set if patched else None)
        if not fields:
            raise InvalidInput("There is nothing to change: name a field with its new value.")
        if patched and set(fields) == {"state"}:
            return self.set_state(actor, number, given.state, etag)
        store = self._of(actor)
        store.edit_sense(number, fields, version=version_in(etag))
        return store.entry(number)

    def set_state(self, actor: Actor, number: int, state: SenseState, etag: str | None) -> SenseEntry:
        """Publish, reject or draft a meaning; errors are those of ``edit_sense``."""
        store = self._of(actor)
        store.set_state(number, state, version=version_in(etag))
        return store.entry(number)

    def delete_sense(self, actor: Actor, number: int, etag: str | None) -> DeletedSense:
        """Delete a meaning; errors are those of ``edit_sense``."""
        return self._of(actor).remove_sense(number, version=version_in(etag))

    def merge(self, actor: Actor, old: str, into: str) -> ChangedSenses:
        """Merge two terms: ``old`` becomes an alias of ``into``.

        Raises:
            NotFound: there is no such term.
            InvalidInput: both are the same, or a spelling is ambiguous.
        """
        expect_all_groups(actor, "Merging terms")
        return self._of(actor).merge_terms(old, into)

    def contexts(self, _: Actor) -> tuple[ContextEntry, ...]:
        return self._store.context_entries()

    def context(self, _: Actor, name: str) -> ContextEntry:
        """Return a context, by its name in any letter case.

        Raises:
            NotFound: there is no such context.
        """
        return self._store.context_entry(name)

    def put_context(self, actor: Actor, name: str, given: ContextIn, etag: str | None) -> ContextEntry:
        """Describe a context, or add it; its name is spelled as in ``name``. The version of a new one is 0.

        Raises:
            PreconditionFailed: its version is not that of ``etag``.
        """
        store = self._store.acting_as(actor.name)
        wanted = Context(name=name, description=given.description, examples=tuple(given.examples))
        store.put_context(wanted, version=version_in(etag))
        return store.context_entry(name)

    def delete_context(self, actor: Actor, name: str, etag: str | None) -> DeletedContext:
        """Delete a context that no meaning is bound to.

        Raises:
            NotFound: there is no such context.
            Conflict: meanings are bound to it.
            PreconditionFailed: its version is not that of ``etag``.
        """
        return self._store.acting_as(actor.name).remove_context(name, version=version_in(etag))

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
