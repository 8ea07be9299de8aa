"""One training run of the cross-encoder, from the examples to the weights and their card."""

import hashlib
import json
import os
import random
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.fits import uses_in
from golden_lab.manuals.questions import read_questions
from golden_lab.results import SplitUse
from golden_lab.training.cross_encoder.batches import Encoded, ExampleTokenizer
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, count_sources
from golden_lab.training.cross_encoder.manual_examples import manual_examples
from golden_lab.training.cross_encoder.model import build_cross_encoder_module
from golden_lab.training.cross_encoder.public_examples import (
    SQUAD_TRAIN,
    mtrag_examples,
    squad2_examples,
    squad_examples,
)
from golden_lab.training.cross_encoder.shipped_weights import read_weights
from golden_lab.training.cross_encoder.table_examples import table_examples
from golden_lab.training.cross_encoder.trainer import CrossEncoderRecipe, OnEvent, train
from tools.embedding.weights import find_default_model, model_label

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS = ("answer_logit", "span_logits")
_OPSET = 17
_INSTALL = "pip install 'golden-retriever-lab[training]'"
_LIBRARIES = ("torch", "onnx", "onnxruntime", "tokenizers", "numpy")
# The shares of SQuAD's questions for training and for validation; the number of files per package of manuals; the share
# of the manuals' examples for training. The last ones are for validation; only one of their packages is also in
# training.
_SQUAD_SHARE = 0.33
_SQUAD_DEV_SHARE = 0.2
_FILES_A_PACKAGE = 80
_LEARNT_SHARE = 0.97
_FITS = (
    SplitUse(file=SQUAD_TRAIN),
    SplitUse(file="squad2/dev_v2.0_half.jsonl.gz", part="fit"),
    SplitUse(file="mtrag/tasks.jsonl.gz", part="fit"),
)


def gather_examples(
    data: Path, manuals: Path | None, *, seed: int, tables_per_subject: int
) -> tuple[list[CrossEncoderExample], list[CrossEncoderExample]]:
    """Return the examples for training and for validation; no article, conversation or table subject is in both.

    ``manuals`` is a folder of folders with HTML manuals; manuals whose questions are reserved for the ranking and the
    gate are left out. ``tables_per_subject`` tables are made up about each subject. The same seed and files give the
    same examples.

    Raises:
        InvalidInput: a public data file is missing or invalid, or there are no examples for one of the two.
    """
    rng = random.Random(seed)
    learnt: list[CrossEncoderExample] = []
    held: list[CrossEncoderExample] = []
    for part, example in squad_examples(data, rng, share=_SQUAD_SHARE):
        if part == "train":
            learnt.append(example)
        elif part == "dev" and rng.random() < _SQUAD_DEV_SHARE:
            held.append(example)
    tables = table_examples(rng, tables_per_subject=tables_per_subject)
    for part, example in chain(squad2_examples(data, rng), mtrag_examples(data, rng), tables):
        if part in ("train", "dev"):
            (learnt if part == "train" else held).append(example)
    of_manuals: list[CrossEncoderExample] = []
    if manuals is not None:
        held_out = {each.document for each in read_questions("training") if not each.is_learnt_from}
        of_manuals.extend(manual_examples(manuals, rng, most_files=_FILES_A_PACKAGE, held_out=held_out))
    cut = int(len(of_manuals) * _LEARNT_SHARE)
    learnt, held = [*learnt, *of_manuals[:cut]], [*held, *of_manuals[cut:]]
    if not learnt or len({each.answered for each in held}) < 2:
        raise InvalidInput("There are no examples to train or validate on: is --data the right folder?", field="data")
    return learnt, held


def train_cross_encoder(
    data: Path,
    manuals: Path | None,
    out: Path,
    recipe: CrossEncoderRecipe,
    *,
    command: str,
    on_event: OnEvent,
    asked: Sequence[CrossEncoderExample] = (),
    start: Path | None = None,
    base: Path | None = None,
) -> dict[str, Any]:
    """Train on the public ``data``, ``manuals`` and ``asked``; write ``model.onnx`` and ``card.json`` to ``out``.

    Returns the card.

    The state is saved in ``out/training``; if a run is killed, the next call resumes from there. ``start`` is the
    folder of a cross-encoder to start from instead of the sentence encoder in ``base`` (or the default one), which
    always provides the tokenizer and the embeddings.

    Raises:
        ConfigurationError: torch is not installed, or the card in ``start`` does not list its training data.
        InvalidInput: ``out`` holds the state of another training run, or data is missing.
    """
    # On a busy machine, threads that spin while waiting take cores from each other.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
    except ImportError as error:
        raise ConfigurationError(f"Training a cross-encoder needs torch. Install it with: {_INSTALL}") from error
    torch.manual_seed(recipe.seed)
    base = base or find_default_model()
    seen = () if start is None else uses_in(start / "card.json")
    learnt, held = gather_examples(data, manuals, seed=recipe.seed, tables_per_subject=recipe.tables_per_subject)
    learnt += asked
    tokenizer = ExampleTokenizer(base / "tokenizer.json", max_tokens=recipe.max_tokens)
    module = build_cross_encoder_module(base, frozen_layers=recipe.frozen_layers, dropout=recipe.dropout)
    if start is not None:
        weights = {name: torch.from_numpy(values) for name, values in read_weights(start / "model.onnx").items()}
        module.load_state_dict({**module.state_dict(), **weights})
    dev = tokenizer.encode(held)
    figures = train(module, tokenizer.encode(learnt), dev, recipe, out / "training", on_event=on_event)
    agreement = export(module, out, dev)
    card = {
        "name": "cross-encoder",
        "sha256": hashlib.sha256((out / "model.onnx").read_bytes()).hexdigest(),
        "max_tokens": recipe.max_tokens,
        "base": model_label(base),
        "command": command,
        "recipe": asdict(recipe),
        "fits": [asdict(use) for use in dict.fromkeys((*seen, *_FITS))],
        "learnt_from": count_sources(learnt),
        "measured_on": count_sources(held),
        "figures": figures,
        "int8": agreement,
        "libraries": {name: version(name) for name in _LIBRARIES},
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return card


def export(module: Any, folder: Path, dev: Sequence[Encoded]) -> dict[str, Any]:
    """Write ``model.onnx`` with 8-bit weights to ``folder``; return its size and mean deviation on ``dev``."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    exact, small = folder / "model.float32.onnx", folder / "model.onnx"
    module.eval().cpu()
    module.rounded = False
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in _INPUTS)
    axes = {name: {0: "batch", 1: "tokens"} for name in (*_INPUTS, "span_logits")} | {"answer_logit": {0: "batch"}}
    with warnings.catch_warnings():
        # The only exporter that needs no package besides torch is deprecated, and warns on each use.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, example, str(exact), dynamo=False, input_names=list(_INPUTS), output_names=list(_OUTPUTS),
            dynamic_axes=axes, opset_version=_OPSET,
        )  # fmt: skip
    _quantise(exact, small)
    some = dev[:: max(1, len(dev) // 200)]
    floats, eights = (_logits(path, some) for path in (exact, small))
    exact.unlink()
    return {"bytes": small.stat().st_size, "mean_absolute_difference": round(float(np.abs(floats - eights).mean()), 4)}


def _quantise(source: Path, target: Path) -> None:
    """Write the graph ``source`` with 8-bit weights and one scale per channel; the heads are left unchanged."""
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


def _logits(path: Path, examples: Sequence[Encoded]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    found = []
    for each in examples:
        ids = each.ids[None, :].astype(np.int64)
        types = (np.arange(len(each.ids)) >= each.second_from).astype(np.int64)[None, :]
        given = dict(zip(_INPUTS, (ids, np.ones_like(ids), types), strict=True))
        found.append(float(session.run(["answer_logit"], given)[0][0]))
    return np.array(found)
