"""One training from data to shipped weights, with their card."""

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError
from golden_lab.training.encoder.examples import HEADS, Batch, Encoded, EncoderData, PairTokenizer, count_verdicts
from golden_lab.training.encoder.figures import Floats, Forward, head_figures, score_pairs
from golden_lab.training.encoder.model import build_encoder
from golden_lab.training.encoder.trainer import EncoderRecipe, Learnt, Material, Told, train
from tools.embedding.weights import find_default_model, model_label

_LIBRARIES = ("torch", "onnx", "onnxruntime", "tokenizers", "numpy")


INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("pair_logits", "tag_logits")
_OPSET = 17
_INSTALL = "pip install 'golden-retriever-lab[training]'"


def onnx_forward(path: Path, *, threads: int = 1) -> Forward:
    """Return the graph in ``path`` as a function of a batch."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def forward(batch: Batch) -> tuple[Floats, Floats]:
        given = dict(zip(INPUTS, (batch.input_ids, batch.attention_mask, batch.token_type_ids), strict=True))
        pair_logits, tag_logits = session.run(list(OUTPUTS), given)
        return pair_logits, tag_logits

    return forward


def export(module: Any, folder: Path, dev_pairs: Sequence[Encoded]) -> dict[str, Any]:
    """Write ``model.onnx`` (8 bits) and ``model.float32.onnx`` to ``folder``; return how they agree on ``dev_pairs``.

    The one in float32 is for comparison: it is four times as large.
    """
    folder.mkdir(parents=True, exist_ok=True)
    exact, small = folder / "model.float32.onnx", folder / "model.onnx"
    _export_float(module, exact)
    _quantise(exact, small)
    floats, quantised = (score_pairs(onnx_forward(path), dev_pairs) for path in (exact, small))
    return {
        "bytes": small.stat().st_size,
        "mean_absolute_difference": round(float(np.abs(floats - quantised).mean()), 4),
        "auroc_float32": {head: each["auroc"] for head, each in head_figures(floats, dev_pairs).items()},
        "auroc_int8": {head: each["auroc"] for head, each in head_figures(quantised, dev_pairs).items()},
    }


def _export_float(module: Any, path: Path) -> None:
    """Write ``module`` to ``path`` as an ONNX graph of float32, batch and length free."""
    import torch

    module.eval()
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in INPUTS)
    axes = {name: {0: "batch", 1: "tokens"} for name in (*INPUTS, "tag_logits")} | {"pair_logits": {0: "batch"}}
    with warnings.catch_warnings():
        # The exporter that needs nothing beside torch is the older one, and says so at each use.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            example,
            str(path),
            dynamo=False,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=axes,
            opset_version=_OPSET,
        )


def _quantise(source: Path, target: Path) -> None:
    """Write the graph ``source`` with weights of 8 bits, a scale a channel; the heads stay as they are."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        nodes_to_exclude=[node.name for node in onnx.load(source).graph.node if "_head" in node.name],
    )


def train_encoder(
    data: EncoderData,
    out: Path,
    recipe: EncoderRecipe,
    *,
    command: str,
    told: Told,
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
    module = build_encoder(start, frozen_layers=recipe.frozen_layers)
    learnt = train(module, material, recipe, out / "training", told=told)
    exported = export(module, out, material.dev_pairs)
    card = _card(data, recipe, learnt, out / "model.onnx", command=command, base=model_label(start))
    card |= {"int8": exported}
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return card


def _card(
    data: EncoderData, recipe: EncoderRecipe, learnt: Learnt, model: Path, *, command: str, base: str
) -> dict[str, Any]:
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    return {
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
        },
        "data": {
            "files": [asdict(each) for each in data.sources],
            "train_pairs": len(data.train_pairs),
            "train_tagged_texts": len(data.train_tags),
            "train_verdicts": count_verdicts(data.train_pairs),
            "dev_verdicts": count_verdicts(data.dev_pairs),
        },
        "dev": dict(learnt.figures),
        "libraries": {name: version(name) for name in _LIBRARIES},
    }
