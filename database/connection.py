"""Opens an SQLite or PostgreSQL database."""

import sqlite3
import time
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from contracts.errors import ConfigurationError

# How long a writer waits for another writer: longer than it takes to replace the largest document.
_BUSY_TIMEOUT_S = 60.0


def open_database(url: str) -> Engine:
    """Open the database at ``url``: ``sqlite:///path/to/file.db`` or ``postgresql://user@host/name``.

    SQLite runs in WAL mode with foreign keys enabled; the file and its folder are created if they do not exist.
    PostgreSQL is accessed through psycopg. The engine is thread-safe; dispose of it at the end.

    Raises:
        ConfigurationError: the address is malformed, or names an in-memory or unsupported database.
    """
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise ConfigurationError(
            f"{url!r} is not a database address. Use sqlite:///path/to/golden.db or postgresql://user:password@host/name."
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
        raise ConfigurationError(
            f"The folder {folder} for the database cannot be created: {error.strerror}."
        ) from error
    engine = create_engine(
        address.set(drivername="sqlite+pysqlite"), connect_args={"timeout": _BUSY_TIMEOUT_S}, max_overflow=32
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Instead of the driver, _begin_sqlite begins transactions, so that all reads in a transaction see the same state
    # and a writer takes its lock at the start instead of failing halfway.
    connection.isolation_level = None
    # Unlike other statements, switching a new file to WAL does not wait for a lock, so two processes that start at the
    # same time may need a few attempts.
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
    if connection.get_execution_options().get("writes", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # This statement never waits and cannot fail, so it bypasses SQLAlchemy's slower layers.
        connection.connection.cursor().execute("BEGIN")


def _open_postgresql(address: URL) -> Engine:
    try:
        return create_engine(address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, max_overflow=32)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise ConfigurationError(
            "PostgreSQL needs the package psycopg: pip install 'golden-retriever-bot[postgres]'."
        ) from error
