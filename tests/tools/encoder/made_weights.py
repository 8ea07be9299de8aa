"""Weights for tests: a tiny ONNX graph that scores a pair by the words that its texts share, made on the spot."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

from tools.embedding.weights import find_default_model

HEADS = ("relevance", "answerability", "faithfulness")
TOKENIZER = find_default_model() / "tokenizer.json"
_VOCABULARY, _CODE = 30_522, 64


def write_weights(
    folder: Path, *, heads: int = len(HEADS), card: dict[str, Any] | None = None, slope: float = 8.0
) -> Path:
    """Write weights that give each head ``slope`` times the likeness of both texts, less an offset, and their card.

    A token is tagged as the beginning of a term where its number is odd. ``heads`` is how many the graph really has.
    """
    folder.mkdir(parents=True, exist_ok=True)
    save_model(_graph(heads, slope), str(folder / "model.onnx"))
    content = {"pair_heads": list(HEADS), "name": "made", **(card or {})}
    (folder / "card.json").write_text(json.dumps(content), "utf-8")
    return folder


def _graph(heads: int, slope: float) -> Any:
    codes = (np.random.default_rng(7).normal(size=(_VOCABULARY, _CODE)) / _CODE**0.5).astype(np.float32)
    codes[:999] = 0.0  # special tokens mean nothing
    tags = np.zeros((_VOCABULARY, 3), dtype=np.float32)
    tags[::2, 0], tags[1::2, 1] = 4.0, 4.0
    constants = {
        "codes": codes,
        "tags": tags,
        "axes": np.array([1], dtype=np.int64),
        "last_axis": np.array([2], dtype=np.int64),
        "slopes": np.full((1, heads), slope, dtype=np.float32),
        "offset": np.array(-0.4 * slope, dtype=np.float32),
        "tiny": np.array(1e-6, dtype=np.float32),
    }
    node = helper.make_node
    nodes = [
        node("Gather", ["tags", "input_ids"], ["tag_logits"]),
        node("Gather", ["codes", "input_ids"], ["coded"]),
        node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        node("Cast", ["attention_mask"], ["there"], to=TensorProto.FLOAT),
        node("Sub", ["there", "second"], ["first"]),
        node("Unsqueeze", ["first", "last_axis"], ["first_column"]),
        node("Unsqueeze", ["second", "last_axis"], ["second_column"]),
        node("Mul", ["coded", "first_column"], ["firsts"]),
        node("Mul", ["coded", "second_column"], ["seconds"]),
        node("Transpose", ["seconds"], ["turned"], perm=[0, 2, 1]),
        # The best match of each token of the first text, meant over them: how much of it the second says.
        node("MatMul", ["firsts", "turned"], ["likeness"]),
        node("ReduceMax", ["likeness"], ["best"], axes=[2], keepdims=0),
        node("ReduceSum", ["best", "axes"], ["said"], keepdims=1),
        node("Mul", ["coded", "coded"], ["squares"]),
        node("ReduceSum", ["squares", "last_axis"], ["lengths"], keepdims=0),
        node("Mul", ["lengths", "first"], ["weighed"]),
        node("ReduceSum", ["weighed", "axes"], ["asked"], keepdims=1),
        node("Add", ["asked", "tiny"], ["asked_safely"]),
        node("Div", ["said", "asked_safely"], ["share"]),
        node("MatMul", ["share", "slopes"], ["scaled"]),
        node("Add", ["scaled", "offset"], ["pair_logits"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [
        helper.make_tensor_value_info("pair_logits", TensorProto.FLOAT, ["batch", heads]),
        helper.make_tensor_value_info("tag_logits", TensorProto.FLOAT, ["batch", "tokens", 3]),
    ]
    kept = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "made_encoder", inputs, outputs, kept)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
