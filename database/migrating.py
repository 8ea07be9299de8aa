"""Migrations (Alembic): each part that has tables has its own revisions, in a database that all parts may share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, inspect, text

from contracts.errors import ConfigurationError
from database.session import reading, writing

_REVISION = re.compile(r'^revision = "(\w+)"$', re.MULTILINE)
_BELOW = re.compile(r'^down_revision = "(\w+)"$', re.MULTILINE)

# What Alembic calls to ask whether a thing (a table, an index ...) is among those it should compare.
Included = Callable[[Any, str | None, str, bool, Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationScope:
    """The tables of one part of the program, and where their revisions lie.

    ``part`` names it in errors. ``folder`` holds Alembic's ``env.py`` and ``versions``. ``version_table`` keeps the
    revision that the tables have. ``lock`` is the advisory lock of PostgreSQL under which one process at a time
    migrates. The tables named in ``postgresql_only`` are in ``tables``, but in no SQLite database.
    """

    part: str
    folder: Path
    version_table: str
    lock: int
    tables: MetaData
    postgresql_only: frozenset[str] = frozenset()

    def included(self, dialect: str) -> Included:
        """Return what tells Alembic, for a database of ``dialect``, which things are of this scope."""
        names = self.tables.tables.keys() - (frozenset() if dialect == "postgresql" else self.postgresql_only)

        def is_included(thing: Any, name: str | None, kind: str, reflected: bool, compared: Any) -> bool:
            return kind != "table" or name in names

        return is_included


def migrate(engine: Engine, scope: MigrationScope, revision: str = "head") -> None:
    """Bring the tables of ``scope`` to ``revision`` in one transaction; "base" takes them away, "-1" goes one back.

    Nothing happens where they are there already: that is read, and waits for nobody who writes. Of several processes
    that start at once one does it and the others wait for it.

    Raises:
        ConfigurationError: the database was made by a newer version of this program, or the revision is not known.
        Unavailable: the database does not answer, or was locked for too long.
    """
    if revision == "head" and _is_at_head(engine, scope):
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
        config.attributes["connection"] = connection
        options = {"version_table": scope.version_table}
        current = MigrationContext.configure(connection, opts=options).get_current_revision()
        try:
            if revision == "base" or revision.startswith("-"):
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)
        except CommandError as error:
            name = engine.url.render_as_string(hide_password=True)
            raise ConfigurationError(
                f"The database {name} is at revision {current!r} of the {scope.part}, which this version does not "
                f"know. Install the version that made it, or a later one. ({error})"
            ) from error


def _is_at_head(engine: Engine, scope: MigrationScope) -> bool:
    """Say whether there is nothing to do: nearly always, and to load Alembic takes longer than to look."""
    with reading(engine) as connection:
        if not inspect(connection).has_table(scope.version_table):
            return False
        there = connection.execute(text(f"SELECT version_num FROM {scope.version_table}")).scalars().all()
    return there == [_head_of(scope.folder)]


@cache
def _head_of(folder: Path) -> str:
    """Return the revision in ``folder`` on which no other one stands, "" where that is not one."""
    texts = [path.read_text(encoding="utf-8") for path in (folder / "versions").glob("*.py")]
    revisions = {found[1] for each in texts if (found := _REVISION.search(each))}
    heads = revisions - {found[1] for each in texts if (found := _BELOW.search(each))}
    return heads.pop() if len(heads) == 1 else ""


def run_revisions(scope: MigrationScope) -> None:
    """Run the revisions that Alembic has chosen, on the connection of ``migrate``: the whole of an ``env.py``."""
    from alembic import context

    connection: Connection = context.config.attributes["connection"]
    context.configure(
        connection=connection,
        target_metadata=scope.tables,
        version_table=scope.version_table,
        include_object=scope.included(connection.dialect.name),
    )
    context.run_migrations()
