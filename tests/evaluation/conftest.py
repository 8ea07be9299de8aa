"""The engine that the tests of benchmarks measure."""

import pytest

from evaluation.engine import Engine
from golden_retriever.settings import Settings
from golden_retriever.wiring.measuring import build_engine
from tools.embedding.hashing import HashingEmbedder


@pytest.fixture(scope="session")
def engine() -> Engine:
    return build_engine(Settings(), embedder=HashingEmbedder())
