"""Run the library's migrations on the connection that ``migrate`` hands over."""

from alembic import context

from library.migrations import VERSION_TABLE
from library.migrations.scope import scope_of
from library.models import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    include_object=scope_of(connection.dialect.name),
)
context.run_migrations()
