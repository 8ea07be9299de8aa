"""What only the ONNX embedder promises: fidelity, its cache, its errors."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from tools.embedding.base import Matrix
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.onnx_graph import GRAPH_FILE
from tools.embedding.runtime import GraphRunner, Integers, OnnxRuntime, Output
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
async def test_vectors_are_those_of_sentence_transformers(cache: Path) -> None:
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


async def test_tokens_kept_from_the_whole_text_are_those_computed_for_themselves(cache: Path) -> None:
    both, tokens_alone = OnnxEmbedder(find_default_model(), cache), OnnxEmbedder(find_default_model(), cache)
    for number in range(2):
        # More texts than are kept, so that the first ones are computed anew.
        for text in (*TEXTS, *(f"Question {each}, round {number}?" for each in range(70))):
            await both.embed_queries([text])
        for text in TEXTS:
            (kept,), (computed,) = await both.embed_tokens([text]), await tokens_alone.embed_tokens([text])
            assert np.array_equal(kept.vectors, computed.vectors)
            assert kept.spans == computed.spans
            await both.embed_queries([text])
            (kept,) = await both.embed_tokens([text])
            assert np.array_equal(kept.vectors, computed.vectors)


class _CountingRuntime(OnnxRuntime):
    """ONNX Runtime that counts how often it computes."""

    def __init__(self) -> None:
        self.runs = 0

    def open(self, graph: Path, *, threads: int) -> GraphRunner:
        inner, counted = super().open(graph, threads=threads), self

        class Runner:
            def run(
                self, outputs: Sequence[Output], inputs: Mapping[str, Integers], *, give_back: bool
            ) -> tuple[Matrix, ...]:
                counted.runs += 1
                return inner.run(outputs, inputs, give_back=give_back)

        return Runner()


async def test_the_tokens_of_two_wordings_are_there_when_their_vectors_are(cache: Path) -> None:
    wordings = ("What does the pump cost?", "What does the vacuum pump of hall 2 cost?")
    runtime = _CountingRuntime()
    embedder = OnnxEmbedder(find_default_model(), cache, runtime=runtime)
    alone = OnnxEmbedder(find_default_model(), cache)
    vectors = await embedder.embed_queries(wordings)
    tokens = [(await embedder.embed_tokens([text]))[0] for text in wordings]
    assert runtime.runs == 2
    for text, vector, of_tokens in zip(wordings, vectors, tokens, strict=True):
        assert np.array_equal(vector, (await alone.embed_queries([text]))[0])
        assert np.array_equal(of_tokens.vectors, (await alone.embed_tokens([text]))[0].vectors)


async def test_tokens_that_are_there_come_without_a_thread(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OnnxEmbedder(find_default_model(), cache)
    text = "What does the pump cost?"
    await embedder.embed_queries([text])
    (before,) = await OnnxEmbedder(find_default_model(), cache).embed_tokens([text])

    def refused(*called: object, **more: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr(asyncio, "to_thread", refused)
    (kept,) = await embedder.embed_tokens([text])
    assert np.array_equal(kept.vectors, before.vectors)
    with pytest.raises(AssertionError):
        await embedder.embed_tokens(["Another text"])


async def test_a_torn_graph_in_the_cache_is_built_again(tmp_path: Path) -> None:
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


def test_another_tokenizer_is_another_name(cache: Path, copied_model: Path) -> None:
    before = OnnxEmbedder(copied_model, cache).name
    assert before.startswith("copied@")
    tokenizer = json.loads((copied_model / "tokenizer.json").read_text("utf-8"))
    tokenizer["normalizer"]["lowercase"] = False
    (copied_model / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    assert OnnxEmbedder(copied_model, cache).name != before


async def test_a_model_of_another_kind_is_refused_by_name(cache: Path, copied_model: Path) -> None:
    pooling = copied_model / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True}), "utf-8")
    with pytest.raises(ConfigurationError, match=r"does not pool by the mean.*sentence-transformers"):
        await OnnxEmbedder(copied_model, cache).embed_documents(["x"])


async def test_a_missing_file_is_named(cache: Path, copied_model: Path) -> None:
    (copied_model / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json"):
        await OnnxEmbedder(copied_model, cache).embed_documents(["x"])


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
