"""The library's tables, revision by revision (Alembic)."""

from pathlib import Path

from database.migrating import MigrationScope
from library.models import chunk_lexemes
from library.records.models import metadata

LIBRARY = MigrationScope(
    part="library",
    folder=Path(__file__).parent,
    version_table="alembic_version_library",
    lock=0x6C696272,  # "libr" in ASCII
    tables=metadata,
    postgresql_only=frozenset({chunk_lexemes.name}),
)
