"""Transactions, and what to tell people when one fails."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from contracts.errors import ConfigurationError, GoldenError, Unavailable


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a read transaction: all its queries see the same state of the database.

    Raises:
        Unavailable: the database does not answer, or is locked.
        ConfigurationError: the file is no database, or the tables asked for are not there.
    """
    with _explained(engine), engine.connect() as connection:
        if engine.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
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
    try:
        yield
    except DBAPIError as error:
        known = _explanation(engine, error.orig)
        if known is None:
            raise
        raise known from error


def _explanation(engine: Engine, error: BaseException | None) -> GoldenError | None:
    """Return what an error of the driver means to people, or None for a mistake of the program's own."""
    name, reason = _name_of(engine), str(error).strip().split("\n")[0]
    if "not a database" in reason or "malformed" in reason:
        return ConfigurationError(f"{name} is not a sound database: {reason}. Restore it or remove it.")
    if "no such table" in reason or (reason.startswith("relation") and "does not exist" in reason):
        return ConfigurationError(f"{name} lacks its tables ({reason}). Run the migrations first.")
    driver = engine.dialect.loaded_dbapi
    if isinstance(error, driver.OperationalError | driver.InterfaceError):
        return Unavailable(f"The database {name} cannot be used just now: {reason}. Try again later.")
    return None


def _name_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=True)
