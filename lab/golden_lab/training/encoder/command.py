"""One training from data to shipped weights."""

import os
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.encoder.baseline import cosine_figures
from golden_lab.training.encoder.batches import PairTokenizer
from golden_lab.training.encoder.card import write_card
from golden_lab.training.encoder.examples import EncoderData
from golden_lab.training.encoder.export import export
from golden_lab.training.encoder.learning import Material, Told, train
from golden_lab.training.encoder.model import build_encoder
from golden_lab.training.encoder.recipe import EncoderRecipe
from tools.embedding.weights import find_default_model, model_label, read_shape

_INSTALL = "pip install 'golden-retriever-lab[training]'"


def train_encoder(
    data: EncoderData,
    out: Path,
    recipe: EncoderRecipe,
    *,
    command: str,
    told: Told,
    minutes: float | None = None,
    base: Path | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """Train an encoder on ``data`` and write ``model.onnx`` and ``card.json`` to ``out``; return the card.

    The states of the training lie in ``out/training``; a second call after a kill goes on from there. ``base`` is the
    sentence encoder to begin with, the installed default one without it.

    Raises:
        ConfigurationError: torch or the weights to begin with are not installed.
        InvalidInput: ``out`` holds the state of another training.
    """
    # Threads that spin while they wait take the cores from one another on a machine with other work.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
    except ImportError as error:
        raise ConfigurationError(f"Training an encoder needs torch. Install it with: {_INSTALL}") from error
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(recipe.seed)
    start = base or find_default_model()
    tokenizer = PairTokenizer(start / "tokenizer.json", max_tokens=recipe.train_tokens)
    material = Material(
        train=[*tokenizer.pairs(data.train_pairs), *tokenizer.tags(data.train_tags)],
        dev_pairs=tokenizer.pairs(data.dev_pairs),
        dev_tags=tokenizer.tags(data.dev_tags),
    )
    module = build_encoder(start, read_shape(start), frozen_layers=recipe.frozen_layers)
    before = cosine_figures(module, material.dev_pairs)
    told({"before": before})
    learnt = train(module, material, recipe, out / "training", told=told, minutes=minutes)
    exported = export(module, out, material.dev_pairs)
    return write_card(
        out,
        base=model_label(start),
        command=command,
        data=data,
        recipe=recipe,
        learnt=learnt,
        before=before,
        exported=exported,
    )
