"""Attribution in the study of refinement, over a real causal model of random weights, loaded from a folder."""

from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from tests.conformance.reading_cases import make_passage
from tools.embedding.hashing import HashingEmbedder

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.wiring.measuring import build_engine  # noqa: E402
from golden_lab.wiring.refinement import build_study  # noqa: E402
from golden_retriever.settings import Settings  # noqa: E402
from lab.tests.causal_attribution.models import tiny_llama  # noqa: E402
from lab.tests.causal_attribution.tokens import word_tokenizer  # noqa: E402

TEXTS = ("The DLL needs 512 cycles .", "Penguins swim in cold water .", "Bread is baked for an hour .")


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tokenizer = word_tokenizer([*TEXTS, "How long does the DLL lock ?"])
    tokenizer.save_pretrained(folder)
    tiny_llama(tokenizer, vocabulary=len(tokenizer)).module.save_pretrained(folder)
    return folder


async def test_the_study_may_flag_by_the_model_in_a_folder(model_folder: Path, tmp_path: Path) -> None:
    engine = build_engine(Settings(), embedder=HashingEmbedder())
    given = {"writer": "simulated", "judge": "none", "engine": engine}
    parts, _ = build_study(Settings(), attribution_model=str(model_folder), **given)  # type: ignore[arg-type]
    assert parts.signal is not None
    use = await parts.signal.flag("How long does the DLL lock ?", TEXTS[0], tuple(map(make_passage, TEXTS)))
    assert use.used == (0, 1, 2)
    with pytest.raises(ConfigurationError, match="no causal language model"):
        build_study(Settings(), attribution_model=str(tmp_path), **given)  # type: ignore[arg-type]
