"""Converts the weights of a shipped 8-bit graph back to floats, so that training can start from them."""

from pathlib import Path
from typing import Any


def read_weights(path: Path) -> dict[str, Any]:
    """Return the tensors of the ONNX file ``path`` as float32, by their names in the training module.

    The graph stores the weights of a linear layer transposed, in 8 bits and with one scale per column; they are
    returned as the values it computes with. The embeddings are omitted, because training does not change them.
    """
    import numpy as np
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found: dict[str, Any] = {}
    for name, values in stored.items():
        if values.dtype == np.float32 and "::" not in name and not name.endswith(("_scale", "_zero_point")):
            found[name] = values
    for node in graph.node:
        module = node.name.removeprefix("/").removesuffix("_quant").rsplit("/", 1)[0].replace("/", ".")
        if node.op_type == "MatMulInteger" and node.input[1].endswith("_quantized"):
            base = node.input[1].removesuffix("_quantized")
            scale, zero = stored[f"{base}_scale"], stored[node.input[3]]
            found[f"{module}.weight"] = ((stored[node.input[1]].astype(np.float32) - zero) * scale).T
        elif node.op_type == "MatMul" and node.input[1] in stored:
            # This head is kept in 32 bits.
            found[f"{module}.weight"] = stored[node.input[1]].T
    return {name: np.array(values, dtype=np.float32, order="C") for name, values in found.items()}
