"""Creates the dictionary's tables, and migrates them from earlier versions (Alembic)."""

from pathlib import Path

from sqlalchemy import Connection, insert

from database.migrations import MigrationScope
from jargon_db.tables import contexts, metadata, state


def _complete(connection: Connection) -> None:
    # The context for senses that apply in all contexts.
    connection.execute(insert(contexts).values(key="", name="", description="", examples=[]))
    connection.execute(insert(state).values(id=1, version=0))


DICTIONARY = MigrationScope(
    part="dictionary",
    folder=Path(__file__).parent,
    head="jargon_0004",
    version_table="alembic_version_jargon",
    lock=0x6A617267,  # "jarg" in ASCII
    tables=metadata,
    complete=_complete,
)
