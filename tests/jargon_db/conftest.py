import pytest
from sqlalchemy import Engine

from database.migrations import MigrationScope
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (DICTIONARY,)


@pytest.fixture
def store(engine: Engine) -> JargonStore:
    return JargonStore(engine)
