"""The real default model, opened once."""

from pathlib import Path

import pytest

from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """Open all-MiniLM-L6-v2 behind a cache."""
    folder: Path = tmp_path_factory.mktemp("models")
    return CachedEmbedder(OnnxEmbedder(find_default_model(), folder))
