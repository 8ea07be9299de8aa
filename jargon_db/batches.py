"""Batches: the changes of one transaction, such as an import, as one entry of the history."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from contracts.errors import NotFound
from jargon_db.models import changes
from jargon_db.trail import change_of
from jargon_db.values import Batch, Change

# So many changes are held at a time.
_CHANGES_A_PIECE = 500


def select_batches(connection: Connection, limit: int) -> tuple[Batch, ...]:
    """Return the latest batches, newest first."""
    return _batches(connection, changes.c.batch > 0, limit)


def expect_change(connection: Connection, number: int) -> Change:
    """Return a change.

    Raises:
        NotFound: there is no such change.
    """
    row = connection.execute(select(changes).where(changes.c.id == number)).mappings().one_or_none()
    if row is None:
        raise NotFound(f"There is no change {number}. `golden jargon history` lists them.")
    return change_of(row)


def expect_batch(connection: Connection, number: int) -> Batch:
    """Return the batch that the change ``number`` is part of.

    Raises:
        NotFound: there is no such change.
    """
    (batch,) = _batches(connection, changes.c.batch == expect_change(connection, number).batch, 1)
    return batch


def changes_of(connection: Connection, batch: int, limit: int | None = None) -> tuple[Change, ...]:
    """Return the changes of a batch in their order, at most ``limit``."""
    query = select(changes).where(changes.c.batch == batch).order_by(changes.c.id).limit(limit)
    return tuple(change_of(row) for row in connection.execute(query).mappings())


def pieces_of(
    connection: Connection, wanted: ColumnElement[bool]
) -> Iterator[list[tuple[Change, Sequence[Mapping[str, Any]]]]]:
    """Yield the changes that meet ``wanted``, the last one first, a few at a time.

    With each comes the evidence that went where it deleted a sense.
    """
    query = select(changes).where(wanted).order_by(changes.c.id.desc()).limit(_CHANGES_A_PIECE)
    rows = connection.execute(query).mappings().all()
    while rows:
        yield [(change_of(row), (row["before"] or {}).get("evidence", ())) for row in rows]
        rows = connection.execute(query.where(changes.c.id < rows[-1]["id"])).mappings().all()


def _batches(connection: Connection, wanted: ColumnElement[bool], limit: int) -> tuple[Batch, ...]:
    counted = (
        select(
            changes.c.batch,
            func.count().label("count"),
            func.count(changes.c.before).label("were_there"),
            func.count(changes.c.after).label("are_there"),
        )
        .where(wanted)
        .group_by(changes.c.batch)
        .order_by(changes.c.batch.desc())
        .limit(limit)
    )
    rows = connection.execute(counted).mappings().all()
    firsts = select(changes).where(changes.c.id.in_([row["batch"] for row in rows]))
    by_number = {row["id"]: change_of(row) for row in connection.execute(firsts).mappings()}
    return tuple(
        Batch(
            first=by_number[row["batch"]],
            added=row["count"] - row["were_there"],
            deleted=row["count"] - row["are_there"],
            changed=row["were_there"] + row["are_there"] - row["count"],
        )
        for row in rows
    )
