"""The embedder on ONNX Runtime: fidelity, its cache, its errors; and a cache of texts before any embedder."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.onnx_graph import GRAPH_FILE
from tools.embedding.weights import find_default_model

TEXTS = ("What is tPROG?", "hello " * 400, "Die Größe — naïve café 日本語 🙂", "", "The program time of a page. " * 5)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture
def copied_model(tmp_path: Path) -> Path:
    """A model folder whose small files may be changed; the weights are a link."""
    folder = tmp_path / "copied"
    shutil.copytree(find_default_model(), folder, ignore=shutil.ignore_patterns("model.safetensors"))
    (folder / "model.safetensors").symlink_to(find_default_model() / "model.safetensors")
    return folder


@pytest.mark.torch
@pytest.mark.slow
async def test_vectors_match_sentence_transformers(cache: Path) -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed (extra sentence-transformers)")
    from tools.embedding.sentence import SentenceTransformerEmbedder

    reference = SentenceTransformerEmbedder(str(find_default_model()))
    embedder = OnnxEmbedder(find_default_model(), cache)
    cosines = (await reference.embed_documents(TEXTS) * await embedder.embed_documents(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.9999
    pairs = zip(await reference.embed_tokens(TEXTS), await embedder.embed_tokens(TEXTS), strict=True)
    for theirs, ours in pairs:
        assert theirs.spans == ours.spans
        assert (theirs.vectors * ours.vectors).sum(axis=1).min(initial=1.0) > 0.9999
    assert (reference.dimensions, reference.max_tokens) == (embedder.dimensions, embedder.max_tokens)


async def test_damaged_cached_graph_is_rebuilt(tmp_path: Path) -> None:
    first = await OnnxEmbedder(find_default_model(), tmp_path).embed_documents(TEXTS[:1])
    _cut_short(tmp_path)
    again = await OnnxEmbedder(find_default_model(), tmp_path).embed_documents(TEXTS[:1])
    np.testing.assert_allclose(first, again, atol=1e-6)


def _cut_short(cache: Path) -> None:
    (graph,) = cache.rglob(GRAPH_FILE)
    for file, size in ((graph, 500), (graph.with_name("encoder.weights"), 1_000)):
        file.write_bytes(file.read_bytes()[:size])


async def test_many_threads_open_one_model(cache: Path) -> None:
    embedder = OnnxEmbedder(find_default_model(), cache)
    expected = await embedder.embed_documents(TEXTS[:1])
    with ThreadPoolExecutor(8) as pool:
        runs = pool.map(lambda _: asyncio.run(embedder.embed_documents(TEXTS[:1])), range(16))
    for vectors in runs:
        np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_tokenizer_is_part_of_the_embedders_name(cache: Path, copied_model: Path) -> None:
    before = OnnxEmbedder(copied_model, cache).name
    assert before.startswith("copied@")
    tokenizer = json.loads((copied_model / "tokenizer.json").read_text("utf-8"))
    tokenizer["normalizer"]["lowercase"] = False
    (copied_model / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    assert OnnxEmbedder(copied_model, cache).name != before


async def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(ConfigurationError, match=r"file.*XDG_CACHE_HOME"):
        await OnnxEmbedder(find_default_model(), blocked / "cache").embed_documents(["x"])


def test_the_default_model_is_found_without_torch() -> None:
    script = (
        "import sys; from tools.embedding.weights import find_default_model; find_default_model(); "
        "from tools.embedding.onnx import OnnxEmbedder; "
        "print(sorted({'torch', 'sentence_transformers', 'onnx', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_embedding_cache_computes_each_text_once_up_to_its_size() -> None:
    plain, inner = HashingEmbedder(dimensions=32), Mock(wraps=HashingEmbedder(dimensions=32), dimensions=32)
    cached = CachedEmbedder(inner)
    await cached.embed_documents(["a", "b", "a"])
    again = await cached.embed_documents(["b", "c", "b"])
    np.testing.assert_array_equal(again, await plain.embed_documents(["b", "c", "b"]))
    await cached.embed_tokens(["a"])
    assert embedded(inner) == ["a", "b", "c"]
    inner.embed_tokens.assert_called_once_with(["a"])
    inner.reset_mock()
    cached = CachedEmbedder(inner, capacity=2)
    for texts in (["a", "b"], "a", "c", "a", "b"):
        await cached.embed_documents(list(texts))
    assert embedded(inner) == ["a", "b", "c", "b"]


def embedded(inner: Mock) -> list[str]:
    return [text for each in inner.embed_documents.call_args_list for text in each.args[0]]
