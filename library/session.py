"""Connections: how a database is opened, read from and written to."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError

from contracts.errors import ConfigurationError, Unavailable
from library.migrations import migrate

__all__ = ["migrate", "open_database", "reading", "writing"]

# How long a writer waits for another one, in seconds: longer than replacing the largest document takes.
_BUSY_TIMEOUT_S = 60.0


def open_database(url: str) -> Engine:
    """Open the database at ``url``: ``sqlite:///path/to/file.db`` or ``postgresql://user@host/name``.

    SQLite runs in WAL mode with foreign keys on; the file and its folder are made where they are missing.
    PostgreSQL is reached through psycopg. The engine is thread-safe; dispose of it at the end.

    Raises:
        ConfigurationError: the address is malformed, of another kind of database, or in memory only.
    """
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise ConfigurationError(
            f"{url!r} is no database address. Write sqlite:///path/to/golden.db or postgresql://user:password@host/name."
        ) from error
    kind = address.get_backend_name()
    if kind == "sqlite":
        return _open_sqlite(address)
    if kind == "postgresql":
        return _open_postgresql(address)
    raise ConfigurationError(f"Databases of the kind {kind!r} are not supported. Use sqlite or postgresql.")


def _open_sqlite(address: URL) -> Engine:
    if not address.database or address.database == ":memory:" or address.database.startswith("file:"):
        raise ConfigurationError("The SQLite database must be a file: sqlite:///path/to/golden.db.")
    folder = Path(address.database).absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"The folder {folder} for the database cannot be made: {error.strerror}.") from error
    engine = create_engine(
        address.set(drivername="sqlite+pysqlite"),
        connect_args={"timeout": _BUSY_TIMEOUT_S},
        max_overflow=32,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # The driver opens no transaction of its own: _begin_sqlite does, so that reads of one transaction see one state
    # and a writer takes its lock at once instead of failing half-way.
    connection.isolation_level = None
    # Switching a new file to WAL does not wait for a lock as other statements do, so two processes that start at once
    # need a few tries.
    for remaining in range(100, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            if not remaining:
                raise
            time.sleep(0.05)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _open_postgresql(address: URL) -> Engine:
    try:
        return create_engine(address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, max_overflow=32)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise ConfigurationError(
            "PostgreSQL needs the package psycopg: pip install 'golden-retriever-bot[postgres]'."
        ) from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a read transaction: all its queries see the same state of the database.

    Raises:
        Unavailable: the database does not answer, or is locked.
        ConfigurationError: the file is no database.
    """
    options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if engine.name == "postgresql" else {}
    with _explained(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a write transaction, committed at the end of the block and rolled back when it raises.

    Raises:
        Unavailable: the database does not answer, is full, or was locked for a minute.
        ConfigurationError: the file is no database.
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
        if isinstance(error, DatabaseError) and type(error).__name__ in {"OperationalError", "InterfaceError"}:
            raise Unavailable(f"The database {name} cannot be used just now: {reason}. Try again later.") from error
        raise
