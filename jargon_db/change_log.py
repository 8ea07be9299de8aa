"""The change log: who changed what, when and how. It is written in the transaction of the change."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table, func, insert, select

from contracts.dictionary import Action, Change, ContextEntry, EntryKind, SenseEntry, StoredEntry
from contracts.errors import NotFound, PreconditionFailed
from contracts.jargon import Context, Sense
from jargon_db.normalization import fold
from jargon_db.tables import changes

# Longer texts are shortened in a line about a change.
_MAX_SHOWN_CHARACTERS = 80


_Entry = TypeVar("_Entry", bound=StoredEntry)


class ChangeLog:
    """Records the changes that one person makes in one transaction, on ``connection``.

    ``action`` is the name of all of these changes; if it is None, each is an addition, an edit or a deletion.
    ``origin`` is the file or document that they come from. ``undoes`` contains the numbers of the undone changes, by
    entry.
    """

    def __init__(self, connection: Connection, who: str, action: Action | None = None, origin: str = "") -> None:
        self.connection = connection
        self.at = datetime.now(UTC)
        self.undoes: dict[tuple[EntryKind, int], int] = {}
        self._batch: int | None = None
        self._origin = origin
        self._who = who
        self._action = action
        self._unwritten: list[dict[str, Any]] = []
        self._next_ids: dict[EntryKind, int] = {}

    def note(
        self,
        kind: EntryKind,
        entry: int,
        before: Sense | Context | None,
        after: Sense | Context | None,
        *,
        version: int,
        evidence: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Record a change, which ``flush`` writes. ``evidence`` is the evidence for a deleted sense."""
        kept = after or before
        assert kept is not None
        values = {
            "at": self.at,
            "who": self._who,
            "action": self._action or ("add" if before is None else "delete" if after is None else "edit"),
            "kind": kind,
            "entry": entry,
            "key": fold(kept.term if isinstance(kept, Sense) else kept.name),
            "version": version,
            "before": None if before is None else _kept(before) | ({"evidence": list(evidence)} if evidence else {}),
            "after": None if after is None else _kept(after),
            "undoes": self.undoes.get((kind, entry)),
            "origin": self._origin,
        }
        self._unwritten.append(values)

    def flush(self) -> int | None:
        """Write the recorded changes, at the end of the transaction or before the change log is read.

        Return the number of the first change, which is the number of the batch; None if there are no changes.
        """
        if self._unwritten:
            first = (self.connection.execute(select(func.max(changes.c.id))).scalar_one() or 0) + 1
            self._batch = self._batch or first
            rows = [{**each, "id": number, "batch": self._batch} for number, each in enumerate(self._unwritten, first)]
            self.connection.execute(insert(changes), rows)
            self._unwritten = []
        return self._batch

    def fresh_ids(self, table: Table, kind: EntryKind, count: int) -> list[int]:
        """Return ``count`` ids for ``table`` that no entry has ever had. Only one transaction may write at a time."""
        if kind not in self._next_ids:
            # If a new entry got the id of a deleted entry, the change log would mix them up.
            self.flush()
            there = select(func.max(table.c.id)).scalar_subquery()
            ever = select(func.max(changes.c.entry)).where(changes.c.kind == kind).scalar_subquery()
            highest = self.connection.execute(select(there, ever)).one()
            self._next_ids[kind] = max(each or 0 for each in highest) + 1
        self._next_ids[kind] += count
        return list(range(self._next_ids[kind] - count, self._next_ids[kind]))


def select_changes(
    connection: Connection, term: str | None, limit: int, before: int | None = None
) -> tuple[Change, ...]:
    """Return the latest changes, newest first, of entries whose name is or was ``term`` (None: all entries).

    If ``before`` is given, return only changes with a smaller number.
    """
    query = select(changes)
    if before is not None:
        query = query.where(changes.c.id < before)
    if term is not None:
        named = changes.alias("named")
        same = (named.c.key == fold(term)) & (named.c.kind == changes.c.kind) & (named.c.entry == changes.c.entry)
        query = query.where(select(named.c.id).where(same).exists())
    return _changes(connection, query.order_by(changes.c.id.desc()).limit(limit))


def latest_changes(connection: Connection, kind: EntryKind, entries: Sequence[int]) -> dict[int, Change]:
    """Return the last change of each of ``entries``, by id, if the change log contains one."""
    of_kind = (changes.c.kind == kind) & changes.c.entry.in_(entries)
    last = select(func.max(changes.c.id)).where(of_kind).group_by(changes.c.entry)
    return {each.entry: each for each in _changes(connection, select(changes).where(changes.c.id.in_(last)))}


def with_last_changes(connection: Connection, kind: EntryKind, entries: Iterable[_Entry]) -> tuple[_Entry, ...]:
    """Return ``entries`` with the author and number of their last change."""
    listed = list(entries)
    last = latest_changes(connection, kind, [each.id for each in listed]) if listed else {}
    return tuple(
        each.model_copy(update={"changed_by": last[each.id].who, "last_change": last[each.id].number})
        if each.id in last
        else each
        for each in listed
    )


def get_change(connection: Connection, number: int) -> Change:
    """Return a change. Raises ``NotFound``."""
    found = _changes(connection, select(changes).where(changes.c.id == number))
    if not found:
        raise NotFound(f"There is no change {number}. `golden jargon history` lists all changes.")
    return found[0]


def changes_of(connection: Connection, batch: int, kind: EntryKind, most: int) -> tuple[Change, ...]:
    """Return the first changes of a batch to entries of ``kind``, in order."""
    of_kind = select(changes).where(changes.c.batch == batch, changes.c.kind == kind)
    return _changes(connection, of_kind.order_by(changes.c.id).limit(most))


def check_version(connection: Connection, entry: SenseEntry | ContextEntry, seen: int | None) -> None:
    """Check that ``entry`` has the version ``seen`` (None: no check).

    Raises:
        PreconditionFailed: the version is different; the message says who changed what and when.
    """
    if seen is None or seen == entry.version:
        return
    kind: EntryKind = "sense" if isinstance(entry, SenseEntry) else "context"
    name = entry.term if isinstance(entry, SenseEntry) else entry.name
    last = latest_changes(connection, kind, [entry.id]).get(entry.id)
    how = f" {describe_change(last)}" if last is not None else ""
    raise PreconditionFailed(
        f"{name!r} ({kind} {entry.id}) is at version {entry.version}, but your edit is based on version {seen}: "
        f"nothing was changed.{how} Reload it and repeat your edit."
    )


def describe_change(change: Change) -> str:
    """Return a sentence about a change: who made it, when, and which fields differ."""
    who = change.who or "The program"
    changed = "; ".join(f"{each.field} {_short(each.before)} -> {_short(each.after)}" for each in change.differences)
    done = f"{who} made change {change.number} ({change.action}) on {change.at:%Y-%m-%d at %H:%M:%S} UTC"
    return f"{done}: {changed}." if changed else f"{done}."


def change_of(row: Mapping[Any, Any]) -> Change:
    """Return the change in a row."""
    of = Sense if row["kind"] == "sense" else Context
    fields: dict[str, Any] = {name: row[name] for name in Change.model_fields if name in row}
    for side in ("before", "after"):
        fields[side] = None if row[side] is None else of.model_validate(row[side])
    return Change(number=row["id"], **fields)


def _kept(entry: Sense | Context) -> dict[str, Any]:
    return entry.model_dump(include=set(Sense.model_fields if isinstance(entry, Sense) else Context.model_fields))


def _short(value: object) -> str:
    if value is None:
        return "nothing"
    shown = repr(list(value) if isinstance(value, tuple) else value)
    return shown if len(shown) <= _MAX_SHOWN_CHARACTERS else shown[: _MAX_SHOWN_CHARACTERS - 3] + "..."


def _changes(connection: Connection, query: Select[Any]) -> tuple[Change, ...]:
    return tuple(change_of(row) for row in connection.execute(query).mappings())
