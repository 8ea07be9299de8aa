"""Transactions whose driver errors are raised as ``Unavailable`` or ``ConfigurationError``, with an explanation."""

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
        ConfigurationError: the file is not a database, or its tables are missing.
    """
    with _explained(engine), engine.connect() as connection:
        if engine.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a write transaction. It is committed at the end of the block, or rolled back if the block raises.

    SQLite takes the write lock at the start: if two writers had both read before, only one of them could continue.

    Raises:
        Unavailable: the database does not answer, is full, or was locked for too long.
        ConfigurationError: the file is not a database, or its tables are missing.
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
    """Return an explanation of a driver error, or None for a bug in this program."""
    name, reason = engine.url.render_as_string(hide_password=True), str(error).strip().split("\n")[0]
    if "not a database" in reason or "malformed" in reason:
        return ConfigurationError(f"{name} is damaged or not a database: {reason}. Restore or remove it.")
    if "no such table" in reason or (reason.startswith("relation") and "does not exist" in reason):
        return ConfigurationError(f"{name} lacks its tables ({reason}). Run the migrations first.")
    if "no such column" in reason or "has no column" in reason or ("column" in reason and "does not exist" in reason):
        return ConfigurationError(f"{name} has the tables of a newer version ({reason}). Upgrade this program.")
    driver = engine.dialect.loaded_dbapi
    if isinstance(error, driver.OperationalError | driver.InterfaceError):
        return Unavailable(f"The database {name} cannot be used now: {reason}. Try again later.")
    return None
