"""Run the dictionary's migrations on the connection that ``migrate`` hands over."""

from alembic import context

from jargon_db.migrations import VERSION_TABLE
from jargon_db.migrations.scope import belongs_to_dictionary
from jargon_db.models import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    include_object=belongs_to_dictionary,
)
context.run_migrations()
