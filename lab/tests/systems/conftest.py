"""The embedded engine, and a small library to compare systems on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from golden_lab.engine import Engine
from golden_lab.systems.examples import ComparedSystems
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import load_settings
from lab.tests.systems.plant_library import open_plant


@pytest.fixture(scope="module")
def engine() -> Engine:
    return build_engine(load_settings())


@pytest.fixture
async def bench(tmp_path: Path, engine: Engine) -> AsyncIterator[ComparedSystems]:
    async with open_plant(tmp_path, engine) as opened:
        yield opened
