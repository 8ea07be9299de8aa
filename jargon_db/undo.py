"""Undoes a batch of changes with new changes, all or none."""

from collections.abc import Collection, Mapping
from contextlib import nullcontext, suppress
from typing import Any

from sqlalchemy import Connection, insert, select

from contracts.dictionary import Change, EntryKind
from contracts.errors import Conflict
from contracts.jargon import Context, Sense
from database.statements import in_batches
from jargon_db.change_log import ChangeLog, change_of, describe_change, get_change, latest_changes
from jargon_db.contexts import delete_context, insert_context, overwrite_context, select_contexts
from jargon_db.normalization import fold
from jargon_db.sense_queries import select_senses
from jargon_db.sense_writes import (
    delete_senses,
    existing_senses,
    finish_changes,
    insert_senses,
    meaning_of,
    overwrite_senses,
    taken_message,
)
from jargon_db.tables import changes, evidence, senses

# A conflict names some of the entries that have changed since, and counts the rest.
_MAX_CONFLICTS_SHOWN = 5

_Entry = tuple[EntryKind, int]


def undo(log: ChangeLog, number: int) -> int:
    """Restore each entry in the batch of change ``number`` to its state before its first change in the batch.

    Return the number of the new batch. Raises the same errors as ``JargonStore.undo``.
    """
    connection = log.connection
    wanted = changes.c.batch == get_change(connection, number).batch
    before: dict[_Entry, Sense | Context | None] = {}
    last: dict[_Entry, Change] = {}
    places: list[dict[str, Any]] = []
    for row in connection.execute(select(changes).where(wanted).order_by(changes.c.id)).mappings():
        change = change_of(row)
        before.setdefault((change.kind, change.entry), change.before)
        last[change.kind, change.entry] = change
        if change.before is not None and change.after is None:
            places += [{**place, "sense_id": change.entry} for place in row["before"].get("evidence", ())]
    there = _expect_unchanged(connection, last)
    log.undoes = {entry: change.number for entry, change in last.items()}
    contexts = {entry[1]: (before[entry], last[entry]) for entry in last if entry[0] == "context"}
    for entry, (former, change) in contexts.items():
        if former is not None:
            _restore_context(log, entry, former, change)
    written = _restore_senses(log, before, last, there)
    if places:
        connection.execute(insert(evidence), places)
    known = {each.id: each for each in select_contexts(connection).values()}
    for entry, (former, change) in contexts.items():
        if former is None and change.after is not None:
            # A context that was created with a sense is kept if other senses use it by now.
            with nullcontext() if len(contexts) == len(last) else suppress(Conflict):
                delete_context(log, known[entry])
    finish_changes(connection, written)
    made = log.flush()
    assert made is not None
    return made


def _restore_senses(
    log: ChangeLog,
    before: dict[_Entry, Sense | Context | None],
    last: Mapping[_Entry, Change],
    there: Mapping[_Entry, Sense | Context],
) -> list[Sense]:
    connection, written = log.connection, list[Sense]()
    now = {entry[1]: sense for entry, sense in there.items() if isinstance(sense, Sense)}
    for batch in in_batches(number for number in now if before["sense", number] is None):
        delete_senses(log, [now[number] for number in batch])
    wanted = {
        entry[1]: sense.model_copy(update={"id": entry[1]})
        for entry, sense in reversed(before.items())
        if isinstance(sense, Sense)
    }
    taken = existing_senses(
        connection,
        [each for number, each in wanted.items() if number not in now or meaning_of(each) != meaning_of(now[number])],
    )
    for number, sense in wanted.items():
        other = taken.get(meaning_of(sense))
        if other is not None and other.id != number:
            raise Conflict(taken_message(other))
    for batch in in_batches(wanted):
        written += overwrite_senses(log, [(now[number], wanted[number]) for number in batch if number in now])
        gone = {number: last["sense", number].version + 1 for number in batch if number not in now}
        written += insert_senses(log, [wanted[number] for number in gone], versions=gone)
    return written


def _restore_context(log: ChangeLog, entry: int, before: Sense | Context, change: Change) -> None:
    assert isinstance(before, Context)
    there = {each.id: each for each in select_contexts(log.connection).values()}
    taken = next((each for each in there.values() if fold(each.name) == fold(before.name)), None)
    if taken is not None and taken.id != entry:
        raise Conflict(f"A context {taken.name!r} exists again: edit that one instead.")
    if entry in there:
        overwrite_context(log, there[entry], before)
    else:
        insert_context(log, before, entry=entry, version=change.version + 1)


def _expect_unchanged(connection: Connection, last: Mapping[_Entry, Change]) -> dict[_Entry, Sense | Context]:
    """Return the existing entries, which must be as their ``last`` change left them.

    Raises:
        Conflict: some have changed since; the message contains the changes.
    """
    there = _entries(connection, last)
    changed = [change for entry, change in last.items() if _compared(there.get(entry)) != _compared(change.after)]
    conflicts = []
    for change in changed[:_MAX_CONFLICTS_SHOWN]:
        now = latest_changes(connection, change.kind, [change.entry]).get(change.entry)
        how = f" {describe_change(now)}" if now is not None and now.number != change.number else ""
        conflicts.append(f"{change.name!r} has changed since change {change.number}: nothing was undone.{how}")
    if len(changed) > len(conflicts):
        conflicts.append(f"And {len(changed) - len(conflicts)} more.")
    if conflicts:
        raise Conflict("\n".join(conflicts))
    return there


def _entries(connection: Connection, entries: Collection[_Entry]) -> dict[_Entry, Sense | Context]:
    found: dict[_Entry, Sense | Context] = {
        ("context", each.id): each.context for each in select_contexts(connection).values()
    }
    for batch in in_batches(number for kind, number in entries if kind == "sense"):
        found |= {("sense", each.id): each for each in select_senses(connection, senses.c.id.in_(batch)).values()}
    return found


def _compared(entry: Sense | Context | None) -> Sense | Context | None:
    # A different spelling of the context does not count as a change of the sense.
    return entry.model_copy(update={"context": fold(entry.context)}) if isinstance(entry, Sense) else entry
