"""Statements that respect the limits and the dialect of the database."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

_VALUES_PER_STATEMENT = 500

_Value = TypeVar("_Value")


def in_batches(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """Yield the distinct ``values`` in batches that fit into the parameters of one statement."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), _VALUES_PER_STATEMENT):
        yield distinct[start : start + _VALUES_PER_STATEMENT]


def upsert(connection: Connection, table: Table) -> Any:
    """Return an ``insert`` into ``table`` in the connection's dialect, which supports ``on_conflict_do_update``."""
    return (postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert)(table)
