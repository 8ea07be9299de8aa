"""A chat server that runs for a module, and knows nothing of earlier tests."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.tools.chat.server import ChatServer, running_server


@pytest.fixture(scope="module")
def module_server() -> Iterator[ChatServer]:
    with running_server() as server:
        yield server


@pytest.fixture
async def server(module_server: ChatServer) -> AsyncIterator[ChatServer]:
    yield module_server
    await module_server.forget()
