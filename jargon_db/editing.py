"""Editing what is there: single senses, by number and version."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from contracts.errors import Conflict
from contracts.jargon import Sense, SenseState
from jargon_db.checks import checked
from jargon_db.models import senses
from jargon_db.queries import expect_sense, select_senses
from jargon_db.trail import Trail, latest_change, refuse_stale, said
from jargon_db.writing import (
    SENSES_A_PIECE,
    delete_senses,
    lock,
    overwrite_sense,
    overwrite_senses,
    refuse_taken,
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


def set_states(trail: Trail, sense_ids: Sequence[int], state: SenseState, seen: Mapping[int, int]) -> list[Sense]:
    """Publish, reject or draft senses, all or none, and return them in their order.

    Raises:
        NotFound: one is not there.
        Conflict: one is at another version than ``seen`` says, by its id.
        InvalidInput: there is no such state.
    """
    made: list[Sense] = []
    touched = False
    for start in range(0, len(sense_ids), SENSES_A_PIECE):
        some = sense_ids[start : start + SENSES_A_PIECE]
        there = select_senses(trail.connection, senses.c.id.in_(some))
        named = [each for each in some if each in seen or each not in there]
        there |= {each: _seen(trail.connection, each, seen.get(each)) for each in named}
        pairs = [(there[each], checked(replace(there[each], state=state))) for each in some]
        written = overwrite_senses(trail, [(former, sense) for former, sense in pairs if former != sense])
        touched = touched or bool(written)
        made += [sense for _, sense in pairs]
        trail.flush()
    if touched:
        settle(trail.connection, made)
    return made


def remove_sense(trail: Trail, sense_id: int, seen: int | None) -> Sense:
    """Remove a sense with its aliases and evidence, and return it as it was.

    Raises:
        NotFound: there is no such sense.
        Conflict: it is at another version than ``seen``.
    """
    former = _seen(trail.connection, sense_id, seen)
    delete_senses(trail, [former])
    settle(trail.connection, [])
    return former


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
