"""A real server over a real dictionary: SQLite, and PostgreSQL where this machine has it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.serving.dictionary.desk import Desk, open_desk


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=(pytest.mark.postgres, pytest.mark.slow))])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As everywhere, but PostgreSQL is slow here: the store below the routes has its own tests on both."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path}/golden.db"


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with open_desk(database_url) as opened:
        yield opened


@pytest.fixture
async def sqlite_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(f"sqlite:///{tmp_path}/golden.db") as opened:
        yield opened
