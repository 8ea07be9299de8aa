"""What computes the encoder's graph: the contract, and ONNX Runtime."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tools.embedding.base import Matrix
from tools.telemetry import refuse_telemetry

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Integers = NDArray[np.int32]
Output = Literal["sentence", "hidden"]


class GraphRunner(Protocol):
    """Runs an open graph; thread-safe."""

    def run(self, outputs: Sequence[Output], inputs: Mapping[str, Integers], *, give_back: bool) -> tuple[Matrix, ...]:
        """Compute ``outputs`` for a batch, in their order.

        ``give_back`` returns the working memory of large batches to the system.
        ``inputs`` and the shapes of both outputs: as ``tools.embedding.onnx_graph.cached_graph`` says.
        """
        ...


class GraphOpener(Protocol):
    """Opens graphs on one runtime."""

    @property
    def rounding(self) -> str:
        """What the runtime rounds to, which its vectors show: ``bf16``; empty where it computes in full (fp32).

        Raises:
            ConfigurationError: the runtime is not installed.
        """
        ...

    def open(self, graph: Path, *, threads: int) -> GraphRunner:
        """Open the graph, to run on ``threads`` cores; any other error than the one below means a torn file.

        Raises:
            ConfigurationError: the runtime is not installed.
        """
        ...


class OnnxRuntime:
    """ONNX Runtime on the processor, in full precision."""

    @property
    def rounding(self) -> str:
        """Nothing: it computes in full."""
        return ""

    def open(self, graph: Path, *, threads: int) -> GraphRunner:
        """Open the graph, its weights mapped into memory."""
        refuse_telemetry()
        import onnxruntime

        options: Any = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # The graph is written with fused operators already.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # Threads that spin between operators take a third off the time of one short text by itself; where other work
        # wants the cores they double its processor time, and it then takes longer.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return _OnnxRunner(onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"]))


class _OnnxRunner:
    def __init__(self, session: "InferenceSession") -> None:
        self._session = session

    def run(self, outputs: Sequence[Output], inputs: Mapping[str, Integers], *, give_back: bool) -> tuple[Matrix, ...]:
        import onnxruntime

        options: Any = onnxruntime.RunOptions()
        if give_back:
            # The working memory of large batches goes back to the system: a server stays small after an ingestion.
            # Once a call: to take it anew for each batch takes a twentieth of the time.
            options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        results: tuple[Matrix, ...] = tuple(self._session.run(list(outputs), dict(inputs), options))
        return results
