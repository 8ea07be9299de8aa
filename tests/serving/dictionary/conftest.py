"""A real server over a real dictionary on SQLite: the store below it has its own tests, on PostgreSQL as well."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.serving.dictionary.dictionary_client import Desk, open_desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as opened:
        yield opened
