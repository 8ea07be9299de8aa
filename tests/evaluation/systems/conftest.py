"""The embedded engine, and a small library to compare systems on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from evaluation.engine import Engine
from evaluation.systems.library import Bench
from golden_retriever.settings import load_settings
from golden_retriever.wiring.measuring import build_engine
from tests.evaluation.systems.plant import open_plant


@pytest.fixture(scope="module")
def engine() -> Engine:
    return build_engine(load_settings())


@pytest.fixture
async def bench(tmp_path: Path, engine: Engine) -> AsyncIterator[Bench]:
    async with open_plant(tmp_path, engine) as opened:
        yield opened
