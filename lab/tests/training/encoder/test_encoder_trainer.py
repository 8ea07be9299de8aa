"""The training of the encoder: it learns, stays the same by its seed, goes on after a kill, and is exported whole."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts.errors import ConfigurationError, InvalidInput
from lab.tests.training.encoder.tiny_encoder import toy_data, write_tiny_encoder

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.training.encoder.examples import PairTokenizer  # noqa: E402
from golden_lab.training.encoder.figures import score_pairs  # noqa: E402
from golden_lab.training.encoder.model import build_encoder  # noqa: E402
from golden_lab.training.encoder.run import (  # noqa: E402
    export,
    onnx_forward,
    train_encoder,
)
from golden_lab.training.encoder.trainer import (  # noqa: E402
    EncoderRecipe,
    Learnt,
    Material,
    torch_forward,
    train,
)

RECIPE = EncoderRecipe(
    epochs=30, batch_size=16, learning_rate=3e-3, head_learning_rate=1e-2, frozen_layers=0, train_tokens=32, patience=9
)


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("base") / "model")


@pytest.fixture(scope="module")
def material(base: Path) -> Material:
    tokenizer, data = PairTokenizer(base / "tokenizer.json", max_tokens=32), toy_data()
    return Material(
        train=[*tokenizer.pairs(data.train_pairs), *tokenizer.tags(data.train_tags)],
        dev_pairs=tokenizer.pairs(data.dev_pairs),
        dev_tags=tokenizer.tags(data.dev_tags),
    )


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    out = tmp_path_factory.mktemp("trained")
    told: list[dict[str, Any]] = []
    card = train_encoder(toy_data(), out, RECIPE, command="golden-lab train encoder", told=told.append, base=base)
    assert any("dev" in event for event in told)
    return card, out


def short(base: Path, material: Material, folder: Path, *, killed_at: int | None = None) -> tuple[Any, Learnt]:
    """Train for 24 steps; with ``killed_at`` the telling of that step raises, as a kill between two steps would end."""
    recipe = EncoderRecipe(epochs=2.4, batch_size=16, learning_rate=1e-3, train_tokens=32, checks=4)
    module = build_encoder(base, frozen_layers=1)

    def told(event: dict[str, Any]) -> None:
        if killed_at is not None and event["step"] >= killed_at and "dev" in event:
            raise KeyboardInterrupt

    return module, train(module, material, recipe, folder, told=told)


def test_it_learns_to_tell_what_answers_and_which_words_are_terms(trained):
    card, _ = trained
    assert card["dev"]["relevance"]["auroc"] > 0.95
    assert card["dev"]["faithfulness"]["auroc"] > 0.95
    assert card["dev"]["terms_f1"] > 0.9


def test_the_runtime_opens_what_was_exported(trained, base):
    from tools.encoder.onnx import OnnxPairEncoder

    card, out = trained
    assert json.loads((out / "card.json").read_text())["sha256"] == card["sha256"]
    assert card["data"]["train_verdicts"]["faithfulness"]["toy/pairs"] == {"yes": 20, "no": 20}
    encoder = OnnxPairEncoder(out, base / "tokenizer.json", threads=1)
    assert encoder.heads == ("relevance", "answerability", "faithfulness")


def test_the_exported_graph_says_what_the_trained_module_says(base, material, tmp_path):
    module, _ = short(base, material, tmp_path / "run")
    figures = export(module, tmp_path / "out", material.dev_pairs)
    exact = score_pairs(onnx_forward(tmp_path / "out" / "model.float32.onnx"), material.dev_pairs)
    assert np.abs(exact - score_pairs(torch_forward(module), material.dev_pairs)).max() < 1e-4
    small = score_pairs(onnx_forward(tmp_path / "out" / "model.onnx"), material.dev_pairs)
    assert 0 < np.abs(exact - small).max() < 0.2
    assert figures["bytes"] == (tmp_path / "out" / "model.onnx").stat().st_size


def test_the_same_seed_gives_the_same_weights_also_after_a_kill(base, material, tmp_path):
    whole, learnt = short(base, material, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        short(base, material, tmp_path / "killed", killed_at=13)
    resumed, again = short(base, material, tmp_path / "killed")
    assert again.best_step == learnt.best_step
    assert again.figures == learnt.figures
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_frozen_layers_and_embeddings_stay_as_they_were(base, material, tmp_path):
    before = build_encoder(base).state_dict()
    after = short(base, material, tmp_path / "run")[0].state_dict()
    for name in before:
        same = torch.equal(before[name], after[name])
        assert same == (name.startswith(("bert.embeddings.", "bert.encoder.layer.0."))), name


def test_the_state_of_another_training_is_refused(base, material, tmp_path):
    short(base, material, tmp_path)
    other = EncoderRecipe(epochs=2.4, batch_size=16, learning_rate=2e-3, train_tokens=32, checks=4)
    with pytest.raises(InvalidInput, match="other figures or data"):
        train(build_encoder(base), material, other, tmp_path, told=lambda event: None)


def test_weights_that_are_no_encoder_are_refused(base, tmp_path):
    from safetensors.torch import load_file, save_file

    weights = load_file(base / "model.safetensors")
    weights.pop("encoder.layer.1.output.dense.weight")
    save_file(weights, str(tmp_path / "model.safetensors"))
    (tmp_path / "config.json").write_bytes((base / "config.json").read_bytes())
    with pytest.raises(ConfigurationError, match=r"lacks the tensor encoder\.layer\.1\.output\.dense\.weight"):
        build_encoder(tmp_path)
