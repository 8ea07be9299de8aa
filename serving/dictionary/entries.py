"""Meanings and contexts: looked at, added, edited, published, merged, deleted.

Each function takes whoever asks, and blocks. Errors beside those that are named: ``Unavailable`` where the database
does not answer, ``InvalidInput`` where a field must change.
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
    """The meanings and contexts in ``store``; what was mined shows as far as somebody may read in ``library``."""

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
        """Add a meaning; one that is there already is left as it is.

        Raises:
            Conflict: it is there.
        """
        return self._added(actor, given.term, given, given.state)

    def edit_sense(self, actor: Actor, number: int, given: SenseIn, etag: str | None) -> SenseEntry:
        """Let a meaning be as given: whole, or the fields that a ``SensePatch`` names.

        A patch of the state alone publishes, rejects or drafts. ``etag`` is that of the version that was seen.

        Raises:
            NotFound: there is no such meaning.
            Conflict: another one has this meaning.
            PreconditionFailed: it is at another version than ``etag`` says, PreconditionMissing: that says nothing.
        """
        patched = isinstance(given, SensePatch)
        fields: dict[str, Any] = given.model_dump(include=given.model_fields_set if patched else None)
        if not fields:
            raise InvalidInput("Nothing is named that should change: name a field with its new value.")
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
        """Make two terms one: ``old`` becomes an alias of ``into``.

        Raises:
            NotFound: there is no such term.
            InvalidInput: both are the same, or a spelling can be several terms.
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
        """Describe a context, and say whether it is new; for a new one there may be no ``etag``.

        Raises:
            PreconditionFailed: it is at another version than ``etag`` says, PreconditionMissing: that says nothing of
                one that is there.
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
                f"A context keeps its name ({name!r}): only its letter case can change. Add {given.name!r} and move "
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
            PreconditionFailed, PreconditionMissing: as of ``put_context``.
        """
        store = self._store.acting_as(actor.name)
        seen = entry_version(etag, store.context_entry(name).id, what=f"the context {name!r}")
        return store.remove_context(name, version=seen)

    def _of(self, actor: Actor) -> JargonStore:
        """Return a store of what ``actor`` may see, which notes changes under their name."""
        groups, library = actor.groups, self._library
        if groups is None:
            return self._store.acting_as(actor.name)
        return JargonStore(library.engine, who=actor.name, may_read=lambda names: library.names_in(names, groups))

    def _added(self, actor: Actor, term: str, given: MeaningIn, state: SenseState) -> SenseEntry:
        store = self._of(actor)
        fields = given.model_dump(include=set(MeaningIn.model_fields))
        return store.entry(store.add_sense(term, state=state, only_new=True, **fields).id)
