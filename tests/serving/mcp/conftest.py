"""Every test has its own server."""

from collections.abc import AsyncIterator

import pytest

from tests.agent.scripted import Script
from tests.serving.mcp.speaking import Spoken, spoken


@pytest.fixture
async def server() -> AsyncIterator[Spoken]:
    async with spoken(Script()) as running:
        yield running
