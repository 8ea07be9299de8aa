"""The card of trained weights: what they are, what they learnt from, and how well."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from golden_lab.training.encoder.examples import HEADS, EncoderData, count_verdicts
from golden_lab.training.encoder.learning import Learnt
from golden_lab.training.encoder.recipe import EncoderRecipe

_LIBRARIES = ("torch", "onnx", "onnxruntime", "tokenizers", "numpy")


def write_card(
    folder: Path,
    *,
    base: str,
    command: str,
    data: EncoderData,
    recipe: EncoderRecipe,
    learnt: Learnt,
    before: Mapping[str, Any],
    exported: Mapping[str, Any],
) -> dict[str, Any]:
    """Write ``card.json`` beside ``model.onnx`` in ``folder`` and return it.

    ``before`` are the dev figures of the weights that it began with, by the cosine of the two texts.
    """
    digest = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    card = {
        "name": "golden-encoder",
        "revision": digest[:12],
        "sha256": digest,
        "base": base,
        "pair_heads": list(HEADS),
        "tags": ["O", "B", "I"],
        "max_tokens": recipe.max_tokens,
        "command": command,
        "recipe": asdict(recipe),
        "training": {
            "examples_seen": learnt.steps * recipe.batch_size,
            "steps": learnt.steps,
            "steps_planned": learnt.planned,
            "best_step": learnt.best_step,
            "seconds": learnt.seconds,
            "examples_a_second": round(learnt.steps * recipe.batch_size / max(learnt.seconds, 1e-9), 1),
            "losses": learnt.losses,
        },
        "data": {
            "files": [asdict(each) for each in data.sources],
            "train_pairs": len(data.train_pairs),
            "train_tagged_texts": len(data.train_tags),
            "train_verdicts": count_verdicts(data.train_pairs),
            "dev_verdicts": count_verdicts(data.dev_pairs),
        },
        "dev": dict(learnt.figures),
        "dev_before": dict(before),
        "int8": dict(exported),
        "libraries": {name: version(name) for name in _LIBRARIES},
    }
    (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return card
