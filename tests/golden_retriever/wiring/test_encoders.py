"""The trained encoder in the wiring: off, on where it was measured to be better, or named; nothing without weights."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.services import Services
from contracts.errors import ConfigurationError
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring import engines
from golden_retriever.wiring.engines import build_encoder, shipped_weights
from tests.tools.encoder.made_weights import write_weights
from tools.embedding.hashing import HashingEmbedder
from tools.encoder import TextPair
from tools.encoder.joining import FEATURES

JUDGEMENTS = ("context_relevance", "answerability", "faithfulness", "jargon_identification")
_PLAIN = {
    "features": list(FEATURES),
    "mean": [0.0, 0.0],
    "scale": [1.0, 1.0],
    "coefficients": [1.0, 1.0],
    "intercept": 0.0,
}


def write_calibration(folder: Path, *better: str, **more: Any) -> Path:
    content = {"better": list(better), "fits": [], "models": dict.fromkeys(JUDGEMENTS, _PLAIN), **more}
    (folder / "calibration.json").write_text(json.dumps(content), "utf-8")
    return folder


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_calibration(write_weights(tmp_path_factory.mktemp("encoder")), "answerability", "faithfulness")


def _services(**settings: Any) -> Services:
    return build_engine(load_settings(**settings), embedder=HashingEmbedder()).judges


def _with_encoder(services: Services) -> set[str]:
    judges: tuple[Any, ...] = (
        services.relevance_judge,
        services.answerability_judge,
        services.faithfulness_judge,
        services.jargon_identifier,
    )
    return {name for name, judge in zip(JUDGEMENTS, judges, strict=True) if judge._joined is not None}


def test_the_setting_says_which_judgements_use_it(weights: Path) -> None:
    assert _with_encoder(_services(encoder="off", encoder_folder=weights)) == set()
    # On means where it was measured to be better.
    assert _with_encoder(_services(encoder_folder=weights)) == {"answerability", "faithfulness"}
    chosen = _services(encoder="context_relevance, jargon_identification", encoder_folder=weights)
    assert _with_encoder(chosen) == {"context_relevance", "jargon_identification"}


async def test_the_weights_that_come_along_are_whole_and_judge_what_they_are_better_at() -> None:
    encoder = build_encoder(Settings())
    assert encoder is not None
    assert encoder.used_by == {"answerability"}
    calibration = json.loads((shipped_weights() / "calibration.json").read_text("utf-8"))
    # The card is held against the weights' digest, and the calibration is of these weights.
    assert encoder.encoder.name == calibration["encoder"]
    asked = "How long is the Danube?"
    told = TextPair(asked, "The Danube is 2850 km long and flows into the Black Sea.")
    silent = TextPair(asked, "The Danube is crossed by many bridges, some of them old.")
    scores = await encoder.encoder.score([told, silent])
    yes, no = scores[:, encoder.encoder.heads.index("answerability")]
    assert yes > max(0.0, no + 1.0)
    assert (shipped_weights() / "model.onnx").stat().st_size < 30_000_000


def test_without_weights_everything_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "shipped_weights", lambda: tmp_path)
    assert build_encoder(Settings()) is None
    with pytest.raises(ConfigurationError, match=r"calibration\.json"):
        build_encoder(Settings(encoder_folder=tmp_path))


def test_a_damaged_calibration_is_refused_by_name(tmp_path: Path) -> None:
    folder = write_weights(tmp_path)
    (folder / "calibration.json").write_text('{"better": ["answerability"], "models": {}}', "utf-8")
    with pytest.raises(ConfigurationError, match=r"calibration\.json"):
        _services(encoder_folder=folder)


def test_an_unknown_judgement_is_refused() -> None:
    with pytest.raises(ConfigurationError, match='"citation" is not one of on, off, answerability'):
        load_settings(encoder="answerability,citation")
