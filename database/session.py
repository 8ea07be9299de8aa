"""Transactions, and what to tell people when one fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from contracts.errors import ConfigurationError, Unavailable


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a read transaction: all its queries see the same state of the database.

    Raises:
        Unavailable: the database does not answer, or is locked.
        ConfigurationError: the file is no database, or the tables asked for are not there.
    """
    options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if engine.name == "postgresql" else {}
    with _explained(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a write transaction, committed at the end of the block and rolled back when it raises.

    SQLite takes the write lock at the start: two writers that had both read could not both go on.

    Raises:
        Unavailable: the database does not answer, is full, or was locked for a minute.
        ConfigurationError: the file is no database, or the tables asked for are not there.
    """
    with _explained(engine), engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def _explained(engine: Engine) -> Iterator[None]:
    name = engine.url.render_as_string(hide_password=True)
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().split("\n")[0]
        if "not a database" in reason or "malformed" in reason:
            raise ConfigurationError(f"{name} is not a sound database: {reason}. Restore it or remove it.") from error
        if "no such table" in reason or (reason.startswith("relation") and "does not exist" in reason):
            raise ConfigurationError(f"{name} lacks its tables ({reason}). Run the migrations first.") from error
        if isinstance(error, OperationalError | InterfaceError):
            raise Unavailable(f"The database {name} cannot be used just now: {reason}. Try again later.") from error
        raise
