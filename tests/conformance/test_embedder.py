"""Every embedder, called through the Protocol."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model

TEXTS = (
    "The program time of a page is 700 microseconds.",
    "ZQ calibration adjusts the output drivers.",
    "Die Größe der Seite — naïve café, 日本語 🙂",
    "",
    "   \n\t",
    "word " * 3_000,
    "x" * 5_000,
)


@pytest.fixture(scope="session")
def graph_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture(
    scope="session",
    params=[
        "onnx",
        "hashing",
        "cached",
        pytest.param("sentence-transformers", marks=(pytest.mark.torch, pytest.mark.slow)),
    ],
)
def embedder(request: pytest.FixtureRequest, graph_cache: Path) -> Embedder:
    if request.param == "onnx":
        return OnnxEmbedder(find_default_model(), graph_cache)
    if request.param in ("hashing", "cached"):
        return CachedEmbedder(HashingEmbedder()) if request.param == "cached" else HashingEmbedder()
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed (extra sentence-transformers)")
    from tools.embedding.sentence import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(str(find_default_model()))


async def test_documents_become_unit_vectors_and_no_texts_no_rows(embedder: Embedder) -> None:
    vectors = await embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors[[0, 1, 2, 5, 6]], axis=1)
    assert lengths == pytest.approx(1.0, abs=1e-5)
    assert np.isfinite(vectors).all()
    (question,) = await embedder.embed_queries(["How long is the program time of a page?"])
    assert int(np.argmax(vectors[:3] @ question)) == 0
    assert (await embedder.embed_documents(())).shape == (0, embedder.dimensions)
    assert (await embedder.embed_queries(())).shape == (0, embedder.dimensions)
    assert await embedder.embed_tokens(()) == ()


async def test_vector_does_not_depend_on_the_batch_or_its_order(embedder: Embedder) -> None:
    # bf16 keeps eight bits of each number, and different padding may lead to different rounding.
    tolerance = 2**-8 if embedder.name.endswith("+bf16") else 2e-5
    together = await embedder.embed_documents(TEXTS)
    backwards = await embedder.embed_documents(TEXTS[::-1])
    alone = await embedder.embed_documents([TEXTS[1]])
    np.testing.assert_allclose(together, backwards[::-1], atol=tolerance)
    np.testing.assert_allclose(together[1], alone[0], atol=tolerance)


async def test_token_spans_match_the_text(embedder: Embedder) -> None:
    for text, tokens in zip(TEXTS, await embedder.embed_tokens(TEXTS), strict=True):
        assert tokens.vectors.shape == (len(tokens.spans), embedder.dimensions)
        assert len(tokens.spans) == min(embedder.count_tokens(text), embedder.max_tokens)
        assert np.linalg.norm(tokens.vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
        ends = [0]
        for span in tokens.spans:
            assert ends[-1] <= span.start < span.end <= len(text)
            assert text[span.start : span.end].strip()
            ends.append(span.end)


async def test_text_beyond_the_token_limit_is_ignored(embedder: Embedder) -> None:
    full = "word " * (embedder.max_tokens + 50)
    assert embedder.count_tokens(full) == embedder.max_tokens + 50
    one, other = await embedder.embed_documents([full + "alpha", full + "omega"])
    np.testing.assert_allclose(one, other, atol=1e-5)
