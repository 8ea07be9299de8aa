"""A small library to compare systems on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from golden_lab.engine import Engine
from golden_lab.systems.examples import ComparedSystems
from lab.tests.systems.plant_library import open_plant


@pytest.fixture
async def bench(tmp_path: Path, shipped_engine: Engine) -> AsyncIterator[ComparedSystems]:
    async with open_plant(tmp_path, shipped_engine) as opened:
        yield opened
