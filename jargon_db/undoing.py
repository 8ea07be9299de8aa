"""Undoing: changes taken back by changes of their own, all that were asked for or none."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert

from contracts.dictionary import Batch, Change, ContextEntry, EntryKind
from contracts.errors import Conflict
from contracts.jargon import Context, Sense
from jargon_db.contexts import delete_context, insert_context, overwrite_context, select_contexts
from jargon_db.folding import fold
from jargon_db.models import changes, evidence, senses
from jargon_db.senses import select_senses
from jargon_db.trail import Trail, changes_of, expect_change, latest_changes, pieces_of, said, select_batches
from jargon_db.writing import (
    delete_senses,
    formers,
    insert_senses,
    meaning_of,
    overwrite_senses,
    settle,
    taken_text,
)

# Half a merge taken back would be a dictionary that nobody ever had.
_WHOLE = ("merge", "undo")
# A conflict names a few of the entries that have changed since, and counts the rest.
_MAX_CONFLICTS_SHOWN = 5

_Place = Mapping[str, Any]
_Entry = tuple[EntryKind, int]


def undo(trail: Trail, number: int) -> tuple[Change, ...]:
    """Take a change back: its entry is as before, by a change of its own. A merge is taken back as a whole.

    Raises:
        NotFound: there is no such change.
        Conflict: an entry has changed since, its place is taken, or it is a context that has senses.
        InvalidInput: aliases would go in a circle.
    """
    change = expect_change(trail.connection, number)
    together = changes.c.batch == change.batch if change.action in _WHOLE else changes.c.id == number
    return changes_of(trail.connection, _take_back(trail, together))


def undo_batch(trail: Trail, number: int) -> Batch:
    """Take all changes back that were made with the change ``number``, and return what that makes.

    Raises:
        NotFound, Conflict, InvalidInput: as ``undo`` does.
    """
    made = _take_back(trail, changes.c.batch == expect_change(trail.connection, number).batch)
    return select_batches(trail.connection, 1, made)[0]


def _take_back(trail: Trail, wanted: ColumnElement[bool]) -> int:
    """Take changes back, and return the number of the batch that this makes."""
    connection = trail.connection
    _refuse_changed(connection, wanted)
    written: list[Sense] = []
    for piece in pieces_of(connection, wanted):
        for _, run in groupby(piece, key=lambda each: _step_of(each[0])):
            written += _undo_run(trail, list(run))
        trail.flush()
    settle(connection, written)
    batch = trail.flush()
    assert batch is not None
    return batch


def _step_of(change: Change) -> tuple[str, bool, bool]:
    return change.kind, change.before is None, change.after is None


def _undo_run(trail: Trail, run: Sequence[tuple[Change, Sequence[_Place]]]) -> list[Sense]:
    """Take changes back that did the same to different entries, and return the senses that this wrote."""
    step = run[0][0]
    if step.kind == "context":
        for change, _ in run:
            _undo_context(trail, change)
        return []
    numbers = {change.entry: change.number for change, _ in run}
    if step.before is None:
        there = select_senses(trail.connection, senses.c.id.in_(numbers))
        delete_senses(trail, [there[change.entry] for change, _ in run], undoes=numbers)
        return []
    wanted = [
        change.before.model_copy(update={"id": change.entry}) for change, _ in run if isinstance(change.before, Sense)
    ]
    if step.after is not None:
        return _overwritten(trail, wanted, [change.number for change, _ in run])
    _refuse_taken(trail.connection, wanted)
    made = insert_senses(
        trail, wanted, versions={change.entry: change.version + 1 for change, _ in run}, undoes=numbers
    )
    places = [{**place, "sense_id": change.entry} for change, of_sense in run for place in of_sense]
    if places:
        trail.connection.execute(insert(evidence), places)
    return made


def _overwritten(trail: Trail, wanted: Sequence[Sense], numbers: Sequence[int]) -> list[Sense]:
    """Let senses be as in ``wanted`` again, one after the other where one of them changed more than once."""
    undoes = {sense.id: number for sense, number in zip(wanted, numbers, strict=True)}
    if len(undoes) < len(wanted):
        steps = zip(wanted, numbers, strict=True)
        return [made for sense, number in steps for made in _overwritten(trail, [sense], [number])]
    there = select_senses(trail.connection, senses.c.id.in_(undoes))
    _refuse_taken(trail.connection, [each for each in wanted if meaning_of(each) != meaning_of(there[each.id])])
    return overwrite_senses(trail, [(there[sense.id], sense) for sense in wanted], undoes=undoes)


def _undo_context(trail: Trail, change: Change) -> None:
    there: dict[int, ContextEntry] = {each.id: each for each in select_contexts(trail.connection).values()}
    before = change.before
    if before is None:
        delete_context(trail, there[change.entry], undoes=change.number)
        return
    assert isinstance(before, Context)
    taken = next((each for each in there.values() if fold(each.name) == fold(before.name)), None)
    if taken is not None and taken.id != change.entry:
        raise Conflict(f"There is a context {taken.name!r} again: describe that one instead.")
    if change.after is None:
        insert_context(trail, before, entry=change.entry, version=change.version + 1, undoes=change.number)
        return
    overwrite_context(trail, there[change.entry], before, undoes=change.number)


def _refuse_taken(connection: Connection, wanted: Sequence[Sense]) -> None:
    taken = formers(connection, wanted)
    for sense in wanted:
        other = taken.get(meaning_of(sense))
        if other is not None and other.id != sense.id:
            raise Conflict(taken_text(other))


def _refuse_changed(connection: Connection, wanted: ColumnElement[bool]) -> None:
    """Let changes pass whose entries are still as they left them.

    Raises:
        Conflict: some are not; the text says what changed since.
    """
    seen: set[_Entry] = set()
    count = 0
    conflicts: list[str] = []
    for piece in pieces_of(connection, wanted):
        last = {(change.kind, change.entry): change for change, _ in reversed(piece)}
        fresh = {entry: change for entry, change in last.items() if entry not in seen}
        seen |= fresh.keys()
        there = _entries(connection, fresh.keys())
        for entry, change in fresh.items():
            if _comparable(there.get(entry)) == _comparable(change.after):
                continue
            count += 1
            if count <= _MAX_CONFLICTS_SHOWN:
                now = latest_changes(connection, entry[0], [entry[1]]).get(entry[1])
                how = f" {said(now)}" if now is not None and now.number != change.number else ""
                conflicts.append(f"{change.name!r} has changed since change {change.number}: nothing was undone.{how}")
    if not conflicts:
        return
    rest = [f"And {count - len(conflicts)} more."] if count > len(conflicts) else []
    raise Conflict("\n".join([*conflicts, *rest]))


def _entries(connection: Connection, entries: "Sequence[_Entry] | Any") -> dict[_Entry, Sense | Context]:
    ids = [number for kind, number in entries if kind == "sense"]
    found: dict[_Entry, Sense | Context] = {
        ("sense", number): sense for number, sense in select_senses(connection, senses.c.id.in_(ids)).items()
    }
    if len(ids) < len(entries):
        found |= {("context", each.id): each.context for each in select_contexts(connection).values()}
    return found


def _comparable(entry: Sense | Context | None) -> Sense | Context | None:
    # How its context is spelt is no change of a sense.
    return entry.model_copy(update={"context": fold(entry.context)}) if isinstance(entry, Sense) else entry
