"""Which runtime computes the default embedding model."""

import importlib.util
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import build_embedder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_onnx_runtime_by_default_whose_name_says_nothing_of_rounding() -> None:
    assert "+" not in build_embedder(load_settings()).name


def test_openvino_by_its_name_or_a_word_on_how_to_install_it() -> None:
    embedder = build_embedder(load_settings(embedding_runtime="openvino"))
    plain = build_embedder(load_settings()).name
    if importlib.util.find_spec("openvino") is None:
        with pytest.raises(ConfigurationError, match=r"pip install 'golden-retriever-bot\[openvino\]'"):
            _ = embedder.name
    else:
        assert embedder.name in (plain, f"{plain}+bf16")


def test_a_runtime_of_another_name_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"(?i)embedding_runtime"):
        load_settings(embedding_runtime="tensorrt")
