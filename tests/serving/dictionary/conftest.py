"""A real server over a real dictionary: SQLite, and PostgreSQL where this machine has it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from database.migrations import MigrationScope
from jargon_db.migrations import DICTIONARY
from library.migrations import LIBRARY
from tests.databases import new_sqlite
from tests.serving.dictionary.desk import Desk, open_desk


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (LIBRARY, DICTIONARY)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=(pytest.mark.postgres, pytest.mark.slow))])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, tables: tuple[MigrationScope, ...]) -> str:
    """As everywhere, but PostgreSQL is slow here: the store below the routes has its own tests on both."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return new_sqlite(tmp_path / "golden.db", *tables)


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with open_desk(database_url) as opened:
        yield opened


@pytest.fixture
async def sqlite_desk(tmp_path: Path, tables: tuple[MigrationScope, ...]) -> AsyncIterator[Desk]:
    async with open_desk(new_sqlite(tmp_path / "golden.db", *tables)) as opened:
        yield opened
