"""Every test has its own server, its own keys and its own provider of identities."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from library.keys import KeyStore
from library.migrations import LIBRARY
from tests.agent.scripted import Script
from tests.databases import open_new_sqlite
from tests.serving.running import Service, serve

if TYPE_CHECKING:
    from tests.serving.identity.provider import Provider
    from tests.serving.login.served import House
    from tests.serving.mcp.speaking import Spoken


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serve(Script()) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return KeyStore(open_new_sqlite(tmp_path / "golden.db", LIBRARY))


@pytest.fixture
def provider() -> "Iterator[Provider]":
    from tests.serving.identity.provider import running_provider

    with running_provider() as running:
        yield running


@pytest.fixture
def house(tmp_path: Path) -> "House":
    from tests.serving.login.served import new_house

    return new_house(tmp_path)


@pytest.fixture
async def server() -> "AsyncIterator[Spoken]":
    from tests.serving.mcp.speaking import spoken

    async with spoken(Script()) as running:
        yield running
