from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from database.connection import open_database
from database.migrating import MigrationScope
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (DICTIONARY,)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def store(engine: Engine) -> JargonStore:
    return JargonStore(engine)
