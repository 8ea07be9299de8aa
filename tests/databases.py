"""Databases whose tables are there: migrated once in a process, and copied for each test."""

import functools
import tempfile
from pathlib import Path

from sqlalchemy import Engine

from database.connection import open_database
from database.migrations import MigrationScope, migrate


def new_sqlite(path: Path, *scopes: MigrationScope) -> str:
    """Make a new SQLite database at ``path`` with the empty tables of ``scopes``; return its address."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as new:
        new.write(_migrated(scopes))
    return f"sqlite:///{path}"


def open_new_sqlite(path: Path, *scopes: MigrationScope) -> Engine:
    """Open a new SQLite database at ``path`` with the empty tables of ``scopes``."""
    return open_database(new_sqlite(path, *scopes))


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
