from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from jargon_db.session import migrate
from jargon_db.store import JargonStore
from library.session import open_database


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_database(database_url)
    migrate(opened)
    yield opened
    opened.dispose()


@pytest.fixture
def store(engine: Engine) -> JargonStore:
    return JargonStore(engine)
