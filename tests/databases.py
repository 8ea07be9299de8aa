"""Databases whose tables are there: migrated once in a process, and copied for each test."""

import functools
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Engine, QueuePool, create_engine

from contracts.jargon import Context, Sense
from database.connection import open_database
from database.migrations import MigrationScope, migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore


def new_sqlite(path: Path, *scopes: MigrationScope) -> str:
    """Make a new SQLite database at ``path`` with the empty tables of ``scopes``; return its address."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as new:
        new.write(_migrated(scopes))
    return f"sqlite:///{path}"


def open_new_sqlite(path: Path, *scopes: MigrationScope) -> Engine:
    """Open a new SQLite database at ``path`` with the empty tables of ``scopes``."""
    return open_database(new_sqlite(path, *scopes))


def memory_store(senses: Sequence[Sense], contexts: Sequence[Context] = ()) -> JargonStore:
    """Store a dictionary in SQLite's memory, over one connection."""
    engine = create_engine("sqlite://", creator=_open_in_memory, poolclass=QueuePool, pool_size=1, max_overflow=0)
    store = JargonStore(engine)
    store.put_all(senses, contexts)
    return store


def _open_in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    content = _migrated((DICTIONARY,))
    # Bytes 18 and 19 name the journal: a database in memory has no WAL.
    connection.deserialize(content[:18] + b"\1\1" + content[20:])
    return connection


def make_tables(url: str, *scopes: MigrationScope) -> None:
    """Migrate the empty database at ``url``, and leave no connection to it."""
    engine = open_database(url)
    for scope in scopes:
        migrate(engine, scope)
    engine.dispose()


@functools.cache
def _migrated(scopes: tuple[MigrationScope, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "template.db"
        make_tables(f"sqlite:///{path}", *scopes)
        # The last connection wrote the contents of the WAL into the file, so the file is the whole database.
        assert not path.with_name("template.db-wal").exists()
        return path.read_bytes()
