"""Transactions on the dictionary's database, which whoever wires the program opens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from contracts.errors import ConfigurationError, Unavailable
from jargon_db.migrations import migrate

__all__ = ["migrate", "reading", "writing"]


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a read transaction: all its queries see the same state of the database.

    Raises:
        Unavailable: the database does not answer, or is locked.
        ConfigurationError: the dictionary's tables are not there.
    """
    options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if engine.name == "postgresql" else {}
    with _explained(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a write transaction, committed at the end of the block and rolled back when it raises.

    The option ``writes`` has an SQLite engine take the write lock at once, where it was opened to heed it: otherwise
    two writers that have both read could not both go on.

    Raises:
        Unavailable: the database does not answer, is full, or was locked for too long.
        ConfigurationError: the dictionary's tables are not there.
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
        if "no such table" in reason or (reason.startswith("relation") and "does not exist" in reason):
            raise ConfigurationError(f"{name} lacks the dictionary ({reason}). Run the migrations first.") from error
        if isinstance(error, OperationalError | InterfaceError):
            raise Unavailable(
                f"The dictionary in {name} cannot be used just now: {reason}. Try again later."
            ) from error
        raise
