"""A real server over a real dictionary on SQLite: the store below it has its own tests, on PostgreSQL as well."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.serving.dictionary.dictionary_client import DictionaryClient, open_client


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[DictionaryClient]:
    async with open_client(tmp_path) as opened:
        yield opened
