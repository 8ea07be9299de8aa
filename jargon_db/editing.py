"""Editing what is there: single senses, by number and version; and taking a change back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from contracts.errors import Conflict
from contracts.jargon import Context, Sense, SenseState
from jargon_db.checks import checked
from jargon_db.describing import delete_context, insert_context, overwrite_context, select_contexts
from jargon_db.folding import fold
from jargon_db.models import senses
from jargon_db.queries import expect_sense, select_senses
from jargon_db.trail import Trail, changes_with, latest_change, refuse_stale, said
from jargon_db.values import Change, ContextEntry
from jargon_db.writing import (
    delete_sense,
    lock,
    overwrite_sense,
    refuse_taken,
    restore_sense,
    settle,
)


def change_sense(trail: Trail, wanted: Sense, seen: int | None) -> Sense:
    """Let the sense with the id of ``wanted`` (checked) be as given; ``seen`` is the version that the caller saw.

    Raises:
        NotFound: there is no such sense.
        Conflict: it is at another version, or another sense has this meaning.
    """
    connection = trail.connection
    former = _seen(connection, wanted.id, seen)
    refuse_taken(connection, wanted)
    if former == wanted:
        return former
    changed = overwrite_sense(trail, former, wanted)
    settle(connection, [changed])
    return changed


def set_state(trail: Trail, sense_id: int, state: SenseState, seen: int | None) -> Sense:
    """Publish, reject or draft a sense.

    Raises:
        NotFound: there is no such sense.
        Conflict: it is at another version than ``seen``.
        InvalidInput: there is no such state.
    """
    former = _seen(trail.connection, sense_id, seen)
    return change_sense(trail, checked(replace(former, state=state)), seen)


def remove_sense(trail: Trail, sense_id: int, seen: int | None) -> Sense:
    """Remove a sense with its aliases and evidence, and return it as it was.

    Raises:
        NotFound: there is no such sense.
        Conflict: it is at another version than ``seen``.
    """
    former = _seen(trail.connection, sense_id, seen)
    delete_sense(trail, former)
    settle(trail.connection, [])
    return former


def undo(trail: Trail, number: int) -> tuple[Change, ...]:
    """Take a change back: its entry is as before, by a change of its own. A merge is taken back as a whole.

    Raises:
        NotFound: there is no such change.
        Conflict: an entry has changed since, its place is taken, or it is a context that has senses.
        InvalidInput: aliases would go in a circle.
    """
    connection = trail.connection
    lock(connection)
    together = changes_with(connection, number)
    numbers = {change.number for change, _ in together}
    made = []
    for change, places in together:
        last = latest_change(connection, change.kind, change.entry)
        if last is not None and last.number not in numbers:
            raise Conflict(
                f"{change.name!r} has changed since change {change.number}: nothing was undone. {said(last)}"
            )
        if change.kind == "sense":
            _undo_sense(trail, change, places)
        else:
            _undo_context(trail, change)
        trail.flush()
        done = latest_change(connection, change.kind, change.entry)
        assert done is not None
        made.append(done)
        numbers.add(done.number)
    settle(connection, [done.after for done in made if isinstance(done.after, Sense)])
    return tuple(made)


def _undo_sense(trail: Trail, change: Change, places: Sequence[Mapping[str, Any]]) -> None:
    before = change.before
    if before is None:
        there, _ = expect_sense(trail.connection, change.entry)
        delete_sense(trail, there, undoes=change.number)
        return
    assert isinstance(before, Sense)
    refuse_taken(trail.connection, before)
    if change.after is None:
        restore_sense(trail, before, change.version + 1, places, undoes=change.number)
        return
    there, _ = expect_sense(trail.connection, change.entry)
    overwrite_sense(trail, there, before, undoes=change.number)


def _undo_context(trail: Trail, change: Change) -> None:
    there: dict[int, ContextEntry] = {each.id: each for each in select_contexts(trail.connection)}
    before = change.before
    if before is None:
        delete_context(trail, there[change.entry], undoes=change.number)
        return
    assert isinstance(before, Context)
    taken = next((each for each in there.values() if fold(each.context.name) == fold(before.name)), None)
    if taken is not None and taken.id != change.entry:
        raise Conflict(f"There is a context {taken.context.name!r} again: describe that one instead.")
    if change.after is None:
        insert_context(trail, before, entry=change.entry, version=change.version + 1, undoes=change.number)
        return
    overwrite_context(trail, there[change.entry], before, undoes=change.number)


def _seen(connection: Connection, sense_id: int, seen: int | None) -> Sense:
    # Under the lock no other writer comes between this look and the change.
    lock(connection)
    there = select_senses(connection, senses.c.id == sense_id)
    last = None if there else latest_change(connection, "sense", sense_id)
    if last is not None and seen is not None:
        raise Conflict(f"The sense {sense_id} is not there any more: nothing was changed. {said(last)}")
    former, version = expect_sense(connection, sense_id)
    refuse_stale(connection, "sense", sense_id, former.term, seen, version)
    return former
