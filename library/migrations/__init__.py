"""Creates the library's tables, and migrates them from earlier versions (Alembic)."""

from pathlib import Path

from sqlalchemy import Connection, insert

from database.migrations import MigrationScope
from library.lexical_sqlite import create_lexical_index
from library.records.tables import metadata
from library.tables import chunk_lexemes, library_state


def _complete(connection: Connection) -> None:
    connection.execute(insert(library_state).values(id=1, version=0))
    if connection.dialect.name == "sqlite":
        create_lexical_index(connection)


LIBRARY = MigrationScope(
    part="library",
    folder=Path(__file__).parent,
    head="library_0015",
    version_table="alembic_version_library",
    lock=0x6C696272,  # "libr" in ASCII
    tables=metadata,
    complete=_complete,
    postgresql_only=frozenset({chunk_lexemes.name}),
)
