"""The library's tables, revision by revision (Alembic)."""

from pathlib import Path

from sqlalchemy import Engine, text

from contracts.errors import ConfigurationError

VERSION_TABLE = "alembic_version_library"

# The advisory lock of PostgreSQL under which one process at a time migrates: "libr" in ASCII.
_LOCK = 0x6C696272


def migrate(engine: Engine, revision: str = "head") -> None:
    """Bring the library's tables to ``revision`` in one transaction; "base" takes them away.

    Nothing happens where they are there already. Of several processes that start at once one does it and the others
    wait for it.

    Raises:
        ConfigurationError: the database was made by a newer version of this program, or the revision is not known.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.util import CommandError

    from library.session import writing

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    with writing(engine) as connection:
        if engine.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        current = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
        try:
            if revision == "base":
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)
        except CommandError as error:
            name = engine.url.render_as_string(hide_password=True)
            raise ConfigurationError(
                f"The database {name} is at revision {current!r} of the library, which this version does not know. "
                f"Install the version that made it, or a later one. ({error})"
            ) from error
