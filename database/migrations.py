"""Creates and migrates tables with Alembic. Each part of the program has its own revisions in the shared database."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, inspect, text

from contracts.errors import ConfigurationError
from database.transactions import reading, writing


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationScope:
    """The tables of one part of the program, and the location of their revisions.

    ``part`` is the name used in errors. ``folder`` contains Alembic's ``env.py`` and ``versions``; ``head`` is the
    newest revision. ``version_table`` stores the revision of the tables. ``lock`` is the PostgreSQL advisory lock that
    lets only one process migrate. ``complete`` adds to new tables what the models do not define, such as initial rows.
    The tables named in ``postgresql_only`` are in ``tables``, but are not created in SQLite.
    """

    part: str
    folder: Path
    head: str
    version_table: str
    lock: int
    tables: MetaData
    complete: Callable[[Connection], None]
    postgresql_only: frozenset[str] = frozenset()


def migrate(engine: Engine, scope: MigrationScope) -> None:
    """Create the tables of ``scope``, or upgrade existing ones to the newest revision, in one transaction.

    If the tables are up to date, this function only reads, and does not wait for writers. If several processes start at
    the same time, one migrates and the others wait.

    Raises:
        ConfigurationError: a newer version of this program made the database, or its revision is unknown.
        Unavailable: the database does not answer, or was locked for too long.
    """
    if _is_at_head(engine, scope):
        return

    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(scope.folder).replace("%", "%%"))
    with writing(engine) as connection:
        if engine.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": scope.lock})
        config.attributes |= {"connection": connection, "scope": scope}
        options = {"version_table": scope.version_table}
        current = MigrationContext.configure(connection, opts=options).get_current_revision()
        if current is None:
            absent = frozenset() if engine.name == "postgresql" else scope.postgresql_only
            scope.tables.create_all(
                connection, [each for each in scope.tables.sorted_tables if each.name not in absent]
            )
            scope.complete(connection)
            command.stamp(config, "head")
            return
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            name = engine.url.render_as_string(hide_password=True)
            raise ConfigurationError(
                f"The database {name} is at revision {current!r} of the {scope.part}, which this version does not "
                f"know. Install the version that made it, or a later one. ({error})"
            ) from error


def _is_at_head(engine: Engine, scope: MigrationScope) -> bool:
    """Return whether the tables are up to date, which is usual; loading Alembic would take longer than this query."""
    with reading(engine) as connection:
        if not inspect(connection).has_table(scope.version_table):
            return False
        there = connection.execute(text(f"SELECT version_num FROM {scope.version_table}")).scalars().all()
    return there == [scope.head]


def run_revisions() -> None:
    """Run the revisions that Alembic selected, on the connection of ``migrate``; called by every ``env.py``."""
    from alembic import context

    attributes = context.config.attributes
    scope: MigrationScope = attributes["scope"]
    context.configure(
        connection=attributes["connection"], target_metadata=scope.tables, version_table=scope.version_table
    )
    context.run_migrations()
