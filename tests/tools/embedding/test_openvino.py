"""What only OpenVINO promises: vectors near enough to full precision, a name of their own, no word over the network."""

import asyncio
import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.openvino import OpenVinoRuntime
from tools.embedding.weights import find_default_model

needs_openvino = pytest.mark.skipif(
    importlib.util.find_spec("openvino") is None, reason="openvino is not installed (extra openvino)"
)

TEXTS = (
    "What is tPROG?",
    "The program time of a page is 700 microseconds, measured at 85 degrees.",
    "Die Größe der Seite — naïve café, 日本語 🙂",
    "Run `golden ingest ./docs --prune` and read the report of each file.",
    "",
    "A long passage about the calibration of output drivers and what it costs at every start. " * 20,
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture(scope="module")
def full(cache: Path) -> OnnxEmbedder:
    return OnnxEmbedder(find_default_model(), cache)


@pytest.fixture(scope="module")
def fast(cache: Path) -> OnnxEmbedder:
    return OnnxEmbedder(find_default_model(), cache, runtime=OpenVinoRuntime())


@needs_openvino
@pytest.mark.slow
async def test_vectors_are_those_of_full_precision_but_for_rounding(full: OnnxEmbedder, fast: OnnxEmbedder) -> None:
    expected, found = await full.embed_documents(TEXTS), await fast.embed_documents(TEXTS)
    assert (expected * found).sum(axis=1).min() >= 0.9999
    for precise, rounded in zip(await full.embed_tokens(TEXTS), await fast.embed_tokens(TEXTS), strict=True):
        assert precise.spans == rounded.spans
        assert (precise.vectors * rounded.vectors).sum(axis=1).min(initial=1.0) > 0.999


@needs_openvino
async def test_the_name_differs_exactly_where_the_vectors_do(full: OnnxEmbedder, fast: OnnxEmbedder) -> None:
    difference = np.abs(await full.embed_documents(TEXTS) - await fast.embed_documents(TEXTS)).max()
    if fast.name == full.name:
        assert difference < 1e-5
    else:
        assert fast.name == f"{full.name}+bf16"
        assert difference > 1e-5


@needs_openvino
@pytest.mark.slow
async def test_many_threads_share_one_model_and_give_its_memory_back(fast: OnnxEmbedder) -> None:
    # Among them batches so large that their memory is given back while other threads compute.
    groups = [(text,) for text in TEXTS] + [TEXTS, TEXTS[::-1], (TEXTS[-1],) * 4]
    alone = [await fast.embed_documents(group) for group in groups]
    numbers = [number % len(groups) for number in range(36)]
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda number: asyncio.run(fast.embed_documents(groups[number])), numbers))
    for number, vectors in zip(numbers, runs, strict=True):
        np.testing.assert_allclose(vectors, alone[number], atol=1e-5)


@needs_openvino
async def test_a_result_is_not_overwritten_by_the_next(fast: OnnxEmbedder) -> None:
    first = await fast.embed_documents(TEXTS[:1])
    kept = first.copy()
    await fast.embed_documents(TEXTS[1:2])
    np.testing.assert_array_equal(first, kept)


@needs_openvino
async def test_torn_weights_in_the_cache_are_built_again(tmp_path: Path) -> None:
    first = OnnxEmbedder(find_default_model(), tmp_path, runtime=OpenVinoRuntime())
    expected = await first.embed_documents(TEXTS[:1])
    del first
    _cut_short(tmp_path)
    again = OnnxEmbedder(find_default_model(), tmp_path, runtime=OpenVinoRuntime())
    np.testing.assert_allclose(await again.embed_documents(TEXTS[:1]), expected, atol=1e-6)


def _cut_short(cache: Path) -> None:
    (weights,) = cache.rglob("encoder.weights")
    # A new file in its place: the old one may be mapped into memory still.
    torn = weights.with_name("torn")
    torn.write_bytes(weights.read_bytes()[:1_000])
    torn.replace(weights)


@needs_openvino
def test_nothing_is_told_over_the_network_nor_noted_at_home(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from tools.embedding.openvino import OpenVinoRuntime\n"
        "assert 'openvino' not in sys.modules\n"
        "OpenVinoRuntime().rounding\n"
        "print(sorted(name for name in sys.modules if name.startswith('openvino_telemetry')))\n"
    )
    environment = {"HOME": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_the_command_that_installs_it_is_named(tmp_path: Path) -> None:
    # A path finder of the interpreter itself hides the package, as on a machine that lacks it.
    script = (
        "import sys; from pathlib import Path\n"
        "sys.modules['openvino'] = None\n"
        "from tools.embedding.onnx import OnnxEmbedder\n"
        "from tools.embedding.openvino import OpenVinoRuntime\n"
        "from tools.embedding.weights import find_default_model\n"
        "try:\n"
        "    OnnxEmbedder(find_default_model(), Path(sys.argv[1]), runtime=OpenVinoRuntime()).name\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ConfigurationError")
    assert "pip install 'golden-retriever-bot[openvino]'" in done.stdout
    assert "GOLDEN_EMBEDDING_RUNTIME=onnx" in done.stdout
