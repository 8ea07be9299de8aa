"""Editing: what the routes do with senses and contexts, and what stands there afterwards. Everything here blocks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Context, Sense, SenseState
from jargon_db.values import SenseEntry
from serving.dictionary.base import DictionaryKeeper, DictionaryReader
from serving.dictionary.preconditions import PreconditionFailed, entry_of, seen_version
from serving.dictionary.rendering import context_item, context_out, sense_item, sense_out
from serving.dictionary.wire import (
    ChangedSenses,
    ContextIn,
    ContextItem,
    DeletedContext,
    DeletedSense,
    MeaningIn,
    Merged,
    MergeIn,
    SenseIn,
    SenseItem,
    SensePatch,
    StatesIn,
)

_Made = TypeVar("_Made")


def item_of(reader: DictionaryReader, sense_id: int) -> SenseItem:
    """Return a sense as it is kept.

    Raises:
        NotFound: there is no such sense.
    """
    return sense_item(reader.entry(sense_id), reader.latest_changes("sense", [sense_id]))


def add_sense(keeper: DictionaryKeeper, term: str, given: MeaningIn, state: SenseState) -> SenseItem:
    """Add a sense that is not there yet.

    Raises:
        Conflict: it is there.
        InvalidInput: a field must change.
    """
    fields = given.model_dump(include=set(MeaningIn.model_fields))
    added = keeper.add_sense(term, state=state, only_new=True, **fields)
    return item_of(keeper, added.id)


def put_sense(keeper: DictionaryKeeper, sense_id: int, given: SenseIn, if_match: str | None) -> SenseItem:
    """Let a sense be as given.

    Raises:
        NotFound: there is no such sense.
        Conflict: another one has this meaning.
        PreconditionFailed: it is at another version than ``if_match`` says, PreconditionMissing: that says nothing.
        InvalidInput: a field must change.
    """
    seen = seen_version(if_match, sense_id, what=f"the sense {sense_id}")
    fields = given.model_dump()
    wanted = Sense(id=sense_id, **{**fields, "aliases": tuple(fields["aliases"])})
    return _changed(keeper, sense_id, seen, lambda: keeper.change_sense(wanted, version=seen))


def patch_sense(keeper: DictionaryKeeper, sense_id: int, given: SensePatch, if_match: str | None) -> SenseItem:
    """Change the fields of a sense that ``given`` names; one that names the state alone publishes, rejects or drafts.

    Raises:
        NotFound, Conflict, PreconditionFailed, PreconditionMissing, InvalidInput: as of ``put_sense``.
    """
    fields: dict[str, Any] = given.model_dump(include=given.model_fields_set)
    if not fields:
        raise InvalidInput("Nothing is named that should change: name a field with its new value.")
    if set(fields) == {"state"}:
        return set_state(keeper, sense_id, given.state, if_match)
    seen = seen_version(if_match, sense_id, what=f"the sense {sense_id}")
    if "aliases" in fields:
        fields["aliases"] = tuple(fields["aliases"])

    def change() -> Sense:
        there = _seen_entry(keeper, sense_id, seen)
        # What is not named must stay as whoever wrote it last left it.
        return keeper.change_sense(replace(there.sense, **fields), version=there.version if seen is None else seen)

    return _changed(keeper, sense_id, seen, change)


def set_state(keeper: DictionaryKeeper, sense_id: int, state: SenseState, if_match: str | None) -> SenseItem:
    """Publish, reject or draft a sense.

    Raises:
        NotFound, PreconditionFailed, PreconditionMissing: as of ``put_sense``.
    """
    seen = seen_version(if_match, sense_id, what=f"the sense {sense_id}")
    return _changed(keeper, sense_id, seen, lambda: keeper.set_state(sense_id, state, version=seen))


def delete_sense(keeper: DictionaryKeeper, sense_id: int, if_match: str | None) -> DeletedSense:
    """Delete a sense.

    Raises:
        NotFound, PreconditionFailed, PreconditionMissing: as of ``put_sense``.
    """
    seen = seen_version(if_match, sense_id, what=f"the sense {sense_id}")
    gone = _unless_stale(lambda: keeper.remove_sense(sense_id, version=seen), seen, lambda: item_of(keeper, sense_id))
    change = keeper.latest_changes("sense", [sense_id]).get(sense_id)
    return DeletedSense(deleted=sense_out(gone), change=change.number if change else None)


def merge(keeper: DictionaryKeeper, given: MergeIn) -> Merged:
    """Make two terms one.

    Raises:
        NotFound: there is no such term.
        InvalidInput: both are the same, or a spelling can be several terms.
    """
    seen = dict(_tagged_version(each) for each in given.seen)
    kept = _unless_any_stale(keeper, seen, lambda: keeper.merge_terms(given.old, given.into, versions=seen))
    ids = [sense.id for sense in kept]
    last = keeper.latest_changes("sense", ids)
    merges = [change.number for change in last.values() if change.action == "merge"]
    entries = (keeper.entry(each) for each in ids)
    return Merged(items=[sense_item(entry, last) for entry in entries], change=max(merges, default=None))


def set_states(keeper: DictionaryKeeper, given: StatesIn) -> ChangedSenses:
    """Publish, reject or draft senses, all of them or none.

    Raises:
        NotFound: there is no such sense.
        PreconditionFailed: one is at another version than was seen; ``current`` is what it is now.
    """
    named = {each.id: seen_version(each.etag, each.id, what=f"the sense {each.id}") for each in given.senses}
    seen = {sense_id: version for sense_id, version in named.items() if version is not None}
    before = newest_change(keeper)
    changed = _unless_any_stale(keeper, seen, lambda: keeper.set_states(list(named), given.state, versions=seen))
    ids = [sense.id for sense in changed]
    last = keeper.latest_changes("sense", ids)
    return ChangedSenses(
        items=[sense_item(keeper.entry(each), last) for each in ids], change=batch_of(keeper, ids, before)
    )


def newest_change(reader: DictionaryReader) -> int:
    """Return the number of the newest change, 0 where there is none."""
    return next((change.number for change in reader.history(limit=1)), 0)


def batch_of(reader: DictionaryReader, sense_ids: Sequence[int], before: int) -> int | None:
    """Return the batch in which ``sense_ids`` were changed after the change ``before``, None where they were not."""
    batches = {change.batch for change in reader.latest_changes("sense", sense_ids).values()}
    return min((batch for batch in batches if batch > before), default=None)


def context_of(reader: DictionaryReader, name: str) -> ContextItem:
    """Return a context as it is kept.

    Raises:
        NotFound: there is no such context.
    """
    entry = reader.context_entry(name)
    return context_item(entry, reader.latest_changes("context", [entry.id]))


def put_context(
    keeper: DictionaryKeeper, name: str, given: ContextIn, if_match: str | None
) -> tuple[ContextItem, bool]:
    """Describe a context, and say whether it is new; for a new one ``if_match`` may be missing.

    Raises:
        PreconditionFailed: it is at another version than ``if_match`` says, PreconditionMissing: that says nothing of
            one that is there.
        InvalidInput: a field must change.
    """
    there = _context_or_none(keeper, name)
    seen = 0
    if there is not None or if_match is not None:
        entry = entry_of(there.etag) if there is not None else None
        seen_or_any = seen_version(if_match, entry, what=f"the context {name!r}")
        if there is None:
            raise PreconditionFailed(
                f"There is no context {name!r} (any more): nothing was changed. Leave If-Match out to add it."
            )
        seen = there.version if seen_or_any is None else seen_or_any
    spelt = given.name or (there.name if there is not None else name)
    if given.name is not None and " ".join(given.name.split()).casefold() != " ".join(name.split()).casefold():
        raise InvalidInput(
            f"A context keeps its name ({name!r}): only its letter case can change. Add {given.name!r} and move the "
            "meanings there.",
            field="name",
        )
    wanted = Context(name=spelt, description=given.description, examples=tuple(given.examples))
    _unless_stale(lambda: keeper.put_context(wanted, version=seen), seen, lambda: context_of(keeper, name))
    return context_of(keeper, name), there is None


def delete_context(keeper: DictionaryKeeper, name: str, if_match: str | None) -> DeletedContext:
    """Delete a context that no sense is bound to.

    Raises:
        NotFound: there is no such context.
        Conflict: senses are bound to it.
        PreconditionFailed, PreconditionMissing: as of ``put_context``.
    """
    there = keeper.context_entry(name)
    seen = seen_version(if_match, there.id, what=f"the context {name!r}")
    _unless_stale(lambda: keeper.remove_context(name, version=seen), seen, lambda: context_of(keeper, name))
    change = keeper.latest_changes("context", [there.id]).get(there.id)
    return DeletedContext(deleted=context_out(there.context), change=change.number if change else None)


def _seen_entry(reader: DictionaryReader, sense_id: int, seen: int | None) -> SenseEntry:
    """Return a sense; where it was ``seen`` and is gone, say who deleted it."""
    try:
        return reader.entry(sense_id)
    except NotFound as error:
        last = reader.latest_changes("sense", [sense_id]).get(sense_id)
        if seen is None or last is None:
            raise
        raise PreconditionFailed(
            f"The sense {sense_id} is not there any more: nothing was changed. {last.who or 'The program'} made change "
            f"{last.number} ({last.action}) on {last.at:%Y-%m-%d at %H:%M:%S} UTC, which can be undone."
        ) from error


def _changed(keeper: DictionaryKeeper, sense_id: int, seen: int | None, change: Callable[[], object]) -> SenseItem:
    _unless_stale(change, seen, lambda: item_of(keeper, sense_id))
    return item_of(keeper, sense_id)


def _unless_stale(change: Callable[[], _Made], seen: int | None, now: Callable[[], SenseItem | ContextItem]) -> _Made:
    """Make a change that was seen at version ``seen``; tell a conflict of versions from one of meanings.

    Raises:
        PreconditionFailed: the entry is at another version.
    """
    try:
        return change()
    except Conflict as error:
        if seen is None:
            raise
        try:
            current = now()
        except NotFound:
            raise PreconditionFailed(str(error)) from error
        if current.version != seen:
            raise PreconditionFailed(str(error), current=current) from error
        raise


def _unless_any_stale(keeper: DictionaryKeeper, seen: Mapping[int, int], change: Callable[[], _Made]) -> _Made:
    try:
        return change()
    except Conflict as error:
        for sense_id, version in seen.items():
            try:
                current = item_of(keeper, sense_id)
            except NotFound:
                raise PreconditionFailed(str(error)) from error
            if current.version != version:
                raise PreconditionFailed(str(error), current=current) from error
        raise


def _tagged_version(etag: str) -> tuple[int, int]:
    entry = entry_of(etag)
    version = seen_version(etag, entry, what="the sense") if entry is not None else None
    if entry is None or version is None:
        raise InvalidInput(f"{etag!r} names no version of a meaning: leave it out.", field="seen")
    return entry, version


def _context_or_none(reader: DictionaryReader, name: str) -> ContextItem | None:
    try:
        return context_of(reader, name)
    except NotFound:
        return None
