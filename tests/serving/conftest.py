"""Every test has its own server."""

from collections.abc import AsyncIterator

import pytest

from tests.agent.scripted import Script
from tests.serving.running import Service, serve


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serve(Script()) as running:
        yield running
