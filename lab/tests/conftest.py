"""The engine that the tests of benchmarks measure."""

import pytest

from golden_lab.engine import Engine
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture(scope="session")
def engine() -> Engine:
    return build_engine(Settings(), embedder=HashingEmbedder())
