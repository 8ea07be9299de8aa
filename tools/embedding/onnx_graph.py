"""The ONNX graph of the default embedding model, built from its safetensors file without torch.

The graph contains the fused operators of ONNX Runtime (domain com.microsoft), so that nothing has to be fused when
the graph is opened. The weights are in a second file, which ONNX Runtime maps into memory: of the embedding table,
which is more than half of the weights, only the pages in use take memory.
"""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contracts.errors import ConfigurationError
from tools.embedding.base import Matrix
from tools.embedding.weights import DIMENSIONS, HEADS, LAYER_NORM_EPSILON, LAYERS

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

# Must be increased with every change of the graph; it is part of the cached file's name.
GRAPH_VERSION = 1
GRAPH_FILE = "encoder.onnx"
_WEIGHTS_FILE = "encoder.weights"
_FUSED = "com.microsoft"


def cached_graph(model_folder: Path, cache_folder: Path, revision: str) -> Path:
    """Return the path of the model's ONNX graph; build the graph if it is not in the cache.

    The file is created atomically; two processes that build it at the same time end up with the same file. The inputs
    are ``input_ids`` and ``attention_mask``: int32, shape ``(batch, tokens)``. The outputs are float32: ``hidden``,
    shape ``(batch, tokens, dimensions)``, and ``sentence``, shape ``(batch, dimensions)``, mean-pooled, of length 1.

    Raises:
        ConfigurationError: the cache folder cannot be written.
    """
    folder = cache_folder / f"onnx-{revision}-g{GRAPH_VERSION}"
    graph = folder / GRAPH_FILE
    if graph.is_file():
        return graph
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".onnx-", dir=cache_folder))
        try:
            _write(build_graph(model_folder / "model.safetensors"), draft)
            _publish(draft, folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise ConfigurationError(
            f"The embedding model's graph cannot be written to {cache_folder}: {error}. "
            "Free some space there (100 MB), or point XDG_CACHE_HOME to a writable folder."
        ) from error
    return graph


def drop_cached_graph(graph: Path) -> None:
    """Remove a cached graph that cannot be opened, so that the next call of ``cached_graph`` rebuilds it."""
    shutil.rmtree(graph.parent, ignore_errors=True)


def build_graph(weights_file: Path) -> "ModelProto":
    """Build the graph of the encoder, including its weights."""
    from onnx import TensorProto, helper
    from safetensors.numpy import load_file

    drawing = _Drawing(load_file(weights_file))
    batch = ["batch", "tokens"]
    graph = helper.make_graph(
        drawing.draw(),
        "sentence_encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT32, batch) for name in ("input_ids", "attention_mask")],
        [
            helper.make_tensor_value_info("hidden", TensorProto.FLOAT, [*batch, DIMENSIONS]),
            helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["batch", DIMENSIONS]),
        ],
        drawing.constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="golden-retriever")


class _Drawing:
    def __init__(self, weights: dict[str, Matrix]) -> None:
        self._weights = weights
        self.constants: list[TensorProto] = []

    def draw(self) -> "list[NodeProto]":
        nodes = [self._embeddings("layer_0")]
        for layer in range(LAYERS):
            last = layer == LAYERS - 1
            nodes += self._layer(layer, f"layer_{layer}", "hidden" if last else f"layer_{layer + 1}")
        return nodes + self._pooling()

    def _embeddings(self, output: str) -> "NodeProto":
        words = self._keep("words", self._weight("embeddings.word_embeddings.weight"))
        # A single text has one token type; its embedding is added to every position once here, not in every call.
        types = self._weight("embeddings.token_type_embeddings.weight")
        positions = self._keep("positions", self._weight("embeddings.position_embeddings.weight") + types[:1])
        gain, bias = self._norm("embeddings.LayerNorm")
        return self._fused(
            "EmbedLayerNormalization",
            ["input_ids", "", words, positions, "", gain, bias],
            [output, "no_mask_index"],
            epsilon=LAYER_NORM_EPSILON,
        )

    def _layer(self, number: int, before: str, after: str) -> "list[NodeProto]":
        place = f"encoder.layer.{number}"
        parts = [f"{place}.attention.self.{part}" for part in ("query", "key", "value")]
        qkv = self._keep(f"{place}.qkv", np.concatenate([self._weight(f"{part}.weight").T for part in parts], axis=1))
        qkv_bias = self._keep(f"{place}.qkv_bias", np.concatenate([self._weight(f"{part}.bias") for part in parts]))
        attended, projected, middle = (f"{place}.{name}" for name in ("attended", "projected", "middle"))
        widened, bent, narrowed = (f"{place}.{name}" for name in ("widened", "bent", "narrowed"))
        return [
            self._fused("Attention", [before, qkv, qkv_bias, "attention_mask"], [attended], num_heads=HEADS),
            self._product(attended, f"{place}.attention.output.dense", projected),
            self._add_and_norm(projected, before, f"{place}.attention.output", middle),
            self._product(middle, f"{place}.intermediate.dense", widened),
            self._fused("BiasGelu", [widened, self._bias(f"{place}.intermediate.dense")], [bent]),
            self._product(bent, f"{place}.output.dense", narrowed),
            self._add_and_norm(narrowed, middle, f"{place}.output", after),
        ]

    def _pooling(self) -> "list[NodeProto]":
        from onnx import TensorProto, helper

        axis = self._keep("axis_1", np.array([1], dtype=np.int64))
        # The sum of the unmasked tokens has the same direction as their mean; normalisation removes the difference in
        # length.
        return [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", axis], ["mask_row"]),
            helper.make_node("MatMul", ["mask_row", "hidden"], ["sum_row"]),
            helper.make_node("Squeeze", ["sum_row", axis], ["sum"]),
            helper.make_node("LpNormalization", ["sum"], ["sentence"], axis=-1, p=2),
        ]

    def _product(self, before: str, dense: str, after: str) -> "NodeProto":
        from onnx import helper

        return helper.make_node(
            "MatMul", [before, self._keep(f"{dense}.weight", self._weight(f"{dense}.weight").T)], [after]
        )

    def _add_and_norm(self, value: str, skipped: str, place: str, after: str) -> "NodeProto":
        gain, bias = self._norm(f"{place}.LayerNorm")
        inputs = [value, skipped, gain, bias, self._bias(f"{place}.dense")]
        return self._fused("SkipLayerNormalization", inputs, [after], epsilon=LAYER_NORM_EPSILON)

    def _norm(self, place: str) -> tuple[str, str]:
        return self._keep(f"{place}.gain", self._weight(f"{place}.weight")), self._bias(place)

    def _bias(self, place: str) -> str:
        return self._keep(f"{place}.bias", self._weight(f"{place}.bias"))

    def _fused(self, kind: str, inputs: list[str], outputs: list[str], **attributes: Any) -> "NodeProto":
        from onnx import helper

        return helper.make_node(kind, inputs, outputs, domain=_FUSED, **attributes)

    def _weight(self, name: str) -> Matrix:
        return self._weights[name].astype(np.float32, copy=False)

    def _keep(self, name: str, value: NDArray[np.generic]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def _write(model: "ModelProto", folder: Path) -> None:
    import onnx

    onnx.save_model(
        model,
        str(folder / GRAPH_FILE),
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=_WEIGHTS_FILE,
        size_threshold=1024,
    )


def _publish(draft: Path, folder: Path) -> None:
    # Only the owner can read the draft, but the cache may be shared.
    draft.chmod(0o755)
    for file in draft.iterdir():
        file.chmod(0o644)
    try:
        draft.rename(folder)
    except OSError:
        # Another process was faster: a folder cannot be renamed if the target exists and is not empty.
        if not (folder / GRAPH_FILE).is_file():
            raise
