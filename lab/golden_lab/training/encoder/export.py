"""Export: an encoder as an ONNX file with 8-bit weights, and how far it is from the trained one."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_lab.training.encoder.batches import Batch, Encoded
from golden_lab.training.encoder.measuring import Floats, Forward, head_figures, score_pairs

if TYPE_CHECKING:
    from onnx import ModelProto

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("pair_logits", "tag_logits")
_OPSET = 17


def export_float(module: Any, path: Path) -> None:
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


def quantise(source: Path, target: Path) -> None:
    """Write the graph ``source`` with weights of 8 bits, a scale a channel; the heads stay as they are."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        nodes_to_exclude=_head_nodes(onnx.load(source)),
    )


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


def agreement(floats: Floats, quantised: Floats, rows: Sequence[Encoded]) -> dict[str, Any]:
    """Return how far the pair logits in 8 bits are from those in float32, and what that costs each head in AUROC."""
    before, after = head_figures(floats, rows), head_figures(quantised, rows)
    return {
        "mean_absolute_difference": round(float(np.abs(floats - quantised).mean()), 4),
        "same_side_of_zero": round(float(((floats > 0) == (quantised > 0)).mean()), 4),
        "auroc_float32": {head: each["auroc"] for head, each in before.items()},
        "auroc_int8": {head: each["auroc"] for head, each in after.items()},
    }


def export(module: Any, folder: Path, dev_pairs: Sequence[Encoded]) -> dict[str, Any]:
    """Write ``model.onnx`` (8 bits) and ``model.float32.onnx`` to ``folder``; return how they agree on ``dev_pairs``.

    The one in float32 is for comparison: it is four times as large.
    """
    folder.mkdir(parents=True, exist_ok=True)
    exact, small = folder / "model.float32.onnx", folder / "model.onnx"
    export_float(module, exact)
    quantise(exact, small)
    floats, quantised = (score_pairs(onnx_forward(path), dev_pairs) for path in (exact, small))
    return {"bytes": small.stat().st_size, **agreement(floats, quantised, dev_pairs)}


def _head_nodes(model: "ModelProto") -> list[str]:
    return [node.name for node in model.graph.node if "_head" in node.name]
