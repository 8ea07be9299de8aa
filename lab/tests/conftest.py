"""The engines that the tests measure: with the hashing embedder, and with the built-in one."""

import pytest

from golden_lab.engine import Engine
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.conftest import minilm as minilm


@pytest.fixture(scope="session")
def engine() -> Engine:
    return build_engine(Settings(), embedder=HashingEmbedder())


@pytest.fixture(scope="session")
def shipped_engine() -> Engine:
    return build_engine(Settings())
