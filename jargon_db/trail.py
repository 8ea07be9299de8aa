"""The trail: who changed what, when, from what to what, written in the transaction of the change."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, Table, func, insert, select

from contracts.errors import Conflict
from contracts.jargon import Context, Sense
from jargon_db.folding import fold
from jargon_db.models import changes
from jargon_db.values import Action, Change, Kind, differences

# A text in a line about a change is a reminder of it, not the text.
_MAX_SHOWN_CHARACTERS = 80


class Trail:
    """Notes the changes that one person makes in one transaction, on its ``connection``.

    ``action`` names all of them; None: each is an addition, an edit or a deletion by what it does. ``origin`` is the
    file or document that they come from. ``batch`` is the number of the first one, None before it is written.
    """

    def __init__(self, connection: Connection, who: str, action: Action | None = None, origin: str = "") -> None:
        self.connection = connection
        self.at = datetime.now(UTC)
        self.batch: int | None = None
        self._origin = origin
        self._who = who
        self._action = action
        self._unwritten: list[dict[str, Any]] = []
        self._next_ids: dict[Kind, int] = {}

    def note(
        self,
        kind: Kind,
        entry: int,
        before: Sense | Context | None,
        after: Sense | Context | None,
        *,
        version: int,
        evidence: Sequence[Mapping[str, Any]] = (),
        undoes: int | None = None,
    ) -> None:
        """Note a change; ``flush`` writes it. ``evidence`` goes with a sense that is deleted."""
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
            "before": None if before is None else asdict(before) | ({"evidence": list(evidence)} if evidence else {}),
            "after": None if after is None else asdict(after),
            "undoes": undoes,
            "origin": self._origin,
        }
        self._unwritten.append(values)

    def flush(self) -> None:
        """Write what was noted into the transaction: once at its end, or before the trail is read in it."""
        if not self._unwritten:
            return
        if self.batch is None:
            self.batch = self._fresh_number()
            first = {**self._unwritten.pop(0), "id": self.batch, "batch": self.batch}
            self.connection.execute(insert(changes), first)
        if self._unwritten:
            self.connection.execute(insert(changes), [{**values, "batch": self.batch} for values in self._unwritten])
            self._unwritten = []

    def _fresh_number(self) -> int:
        if self.connection.dialect.name == "postgresql":
            return int(self.connection.execute(_next_value(changes)).scalar_one())
        return int(self.connection.execute(select(func.max(changes.c.id))).scalar_one() or 0) + 1

    def fresh_ids(self, table: Table, kind: Kind, count: int) -> list[int]:
        """Return ids for ``count`` new rows of ``table``, which no entry ever had."""
        if self.connection.dialect.name == "postgresql":
            each = func.generate_series(1, count).table_valued("number")
            return list(self.connection.execute(_next_value(table).select_from(each)).scalars())
        if kind not in self._next_ids:
            # SQLite gives the highest id again once its row is gone; the trail would take the two for one entry.
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
    """Return the latest changes, newest first: of every entry that is or was written as ``term``, or of all (None).

    With ``before``, only changes with a smaller number than that.
    """
    query = select(changes)
    if before is not None:
        query = query.where(changes.c.id < before)
    if term is not None:
        named = changes.alias("named")
        same = (named.c.key == fold(term)) & (named.c.kind == changes.c.kind) & (named.c.entry == changes.c.entry)
        query = query.where(select(named.c.id).where(same).exists())
    rows = connection.execute(query.order_by(changes.c.id.desc()).limit(limit)).mappings()
    return tuple(change_of(row) for row in rows)


def latest_change(connection: Connection, kind: Kind, entry: int) -> Change | None:
    """Return the last change of an entry, or None where it has not been changed since the trail began."""
    of_entry = select(changes).where(changes.c.kind == kind, changes.c.entry == entry)
    row = connection.execute(of_entry.order_by(changes.c.id.desc()).limit(1)).mappings().one_or_none()
    return None if row is None else change_of(row)


def refuse_stale(connection: Connection, kind: Kind, entry: int, name: str, seen: int | None, now: int) -> None:
    """Let an edit of the version ``seen`` pass where the entry is still at it (None: the caller saw none).

    Raises:
        Conflict: it is at another version; the text says who changed what when.
    """
    if seen is None or seen == now:
        return
    last = latest_change(connection, kind, entry)
    how = f" {said(last)}" if last is not None else ""
    raise Conflict(
        f"{name!r} ({kind} {entry}) is at version {now}, and your edit is of version {seen}: nothing was changed.{how} "
        "Look at it again and repeat your edit."
    )


def said(change: Change) -> str:
    """Return a change as a sentence: who did what to which entry, when, and which fields differ."""
    who = change.who or "The program"
    changed = "; ".join(
        f"{field} {_short(old)} -> {_short(new)}" for field, old, new in differences(change.before, change.after)
    )
    done = f"{who} made change {change.number} ({change.action}) on {change.at:%Y-%m-%d at %H:%M:%S} UTC"
    return f"{done}: {changed}." if changed else f"{done}."


def _next_value(table: Table) -> Select[Any]:
    """Return what draws a number for a row of ``table``, which PostgreSQL gives once, whatever becomes of the row."""
    return select(func.nextval(func.pg_get_serial_sequence(table.name, "id")))


def _short(value: object) -> str:
    if value is None:
        return "nothing"
    shown = repr(list(value) if isinstance(value, tuple) else value)
    return shown if len(shown) <= _MAX_SHOWN_CHARACTERS else shown[: _MAX_SHOWN_CHARACTERS - 3] + "..."


def change_of(row: Mapping[Any, Any]) -> Change:
    """Return a row of the trail as a change."""
    return Change(
        number=row["id"],
        at=row["at"],
        who=row["who"],
        action=row["action"],
        kind=row["kind"],
        entry=row["entry"],
        version=row["version"],
        before=_entry_of(row["kind"], row["before"]),
        after=_entry_of(row["kind"], row["after"]),
        undoes=row["undoes"],
        batch=row["batch"],
        origin=row["origin"],
    )


def _entry_of(kind: Kind, kept: Mapping[str, Any] | None) -> Sense | Context | None:
    if kept is None:
        return None
    of = Sense if kind == "sense" else Context
    values: dict[str, Any] = {
        field.name: tuple(kept[field.name]) if isinstance(kept[field.name], list) else kept[field.name]
        for field in fields(of)
        if field.name in kept
    }
    return Sense(**values) if kind == "sense" else Context(**values)
