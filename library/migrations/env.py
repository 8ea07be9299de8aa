"""Run the library's migrations on the connection that ``migrate`` hands over."""

from alembic import context

from library.migrations import VERSION_TABLE
from library.migrations.scope import belongs_to_library, tables_of

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=tables_of(connection.dialect.name),
    version_table=VERSION_TABLE,
    include_object=belongs_to_library,
)
context.run_migrations()
