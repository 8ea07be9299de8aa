"""Every test has its own server, its own keys and its own provider of identities."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from library.keys import KeyStore
from library.migrations import LIBRARY
from tests.agent.scripted import Script
from tests.databases import open_new_sqlite
from tests.serving.dictionary.dictionary_client import DictionaryClient, open_client
from tests.serving.identity.provider import Provider, running_provider
from tests.serving.login.served import House, new_house
from tests.serving.mcp.speaking import Spoken, spoken
from tests.serving.running import Service, serve


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serve(Script()) as running:
        yield running


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_new_sqlite(tmp_path / "golden.db", LIBRARY)


@pytest.fixture
def store(engine: Engine) -> KeyStore:
    return KeyStore(engine)


@pytest.fixture
def key(store: KeyStore) -> str:
    return store.create("bot")[0]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running


@pytest.fixture
def house(engine: Engine) -> House:
    return new_house(engine)


@pytest.fixture
async def server() -> AsyncIterator[Spoken]:
    async with spoken(Script()) as running:
        yield running


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[DictionaryClient]:
    async with open_client(tmp_path) as opened:
        yield opened
