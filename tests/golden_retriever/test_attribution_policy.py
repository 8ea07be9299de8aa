"""GOLDEN_REFINEMENT=attribution over a real causal model of random weights, loaded from a folder."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from contracts.errors import ConfigurationError
from tests.conformance.reading_cases import make_passage
from tools.embedding.hashing import HashingEmbedder

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_retriever.settings import Settings  # noqa: E402
from golden_retriever.wiring.choosing import EngineChooser  # noqa: E402
from golden_retriever.wiring.judgements.checks import build_refiner  # noqa: E402
from golden_retriever.wiring.measuring import build_engine  # noqa: E402
from golden_retriever.wiring.refinement import build_study  # noqa: E402
from intrinsics.refinement import AnswerRefiner  # noqa: E402
from tests.tools.attribution.models import tiny_llama  # noqa: E402
from tests.tools.attribution.tokens import word_tokenizer  # noqa: E402
from tools.chat.scripted import ScriptedChatModel  # noqa: E402

TEXTS = ("The DLL needs 512 cycles .", "Penguins swim in cold water .", "Bread is baked for an hour .")


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tokenizer = word_tokenizer([*TEXTS, "How long does the DLL lock ?"])
    tokenizer.save_pretrained(folder)
    tiny_llama(tokenizer, vocabulary=len(tokenizer)).module.save_pretrained(folder)
    return folder


def refiner(**settings: str) -> AnswerRefiner:
    made = Settings(refinement="attribution", llm_base_url="http://127.0.0.1:9/v1", llm_model="x", **settings)
    chat = ScriptedChatModel([])
    return build_refiner(made, EngineChooser(made, chat), chat, HashingEmbedder())


async def test_the_policy_asks_the_model_in_the_folder(model_folder: Path) -> None:
    passages = tuple(make_passage(text) for text in TEXTS)
    asked = refiner(attribution_model=str(model_folder))
    verdict = await asked.review("How long does the DLL lock ?", "Penguins swim in cold water .", passages)
    assert verdict.policy == "attribution (input-x-gradient)"
    # Of three passages all are among the first three; those that do not bear on the question are flagged.
    assert verdict.rewrite
    assert 0 < verdict.signal < 1


def test_a_folder_without_a_model_is_told_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no causal language model"):
        refiner(attribution_model=str(tmp_path))


def test_the_policy_needs_a_model() -> None:
    with pytest.raises(ValidationError, match="attribution_model"):
        Settings(refinement="attribution")


async def test_the_study_may_flag_by_the_same_model(model_folder: Path, tmp_path: Path) -> None:
    engine = build_engine(Settings(), embedder=HashingEmbedder())
    settings = Settings(attribution_model=str(model_folder))
    parts, _ = build_study(settings, writer="simulated", judge="none", flags="attribution", engine=engine)
    assert parts.signal is not None
    use = await parts.signal.flag("How long does the DLL lock ?", TEXTS[0], tuple(map(make_passage, TEXTS)))
    assert use.used == (0, 1, 2)
    with pytest.raises(ConfigurationError, match="GOLDEN_ATTRIBUTION_MODEL"):
        build_study(Settings(), writer="simulated", judge="none", flags="attribution", engine=engine)
