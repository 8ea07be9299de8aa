"""The dictionary's tables, revision by revision (Alembic)."""

from pathlib import Path

from database.migrating import MigrationScope
from jargon_db.models import metadata

DICTIONARY = MigrationScope(
    part="dictionary",
    folder=Path(__file__).parent,
    version_table="alembic_version_jargon",
    lock=0x6A617267,  # "jarg" in ASCII
    tables=metadata,
)
