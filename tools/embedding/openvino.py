"""The encoder's graph on OpenVINO: bfloat16 where the processor computes in it, twice the speed of ONNX Runtime."""

import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError
from tools.embedding.base import Matrix
from tools.embedding.runtime import GraphRunner, Integers, Output

_TELEMETRY = "openvino_telemetry"
_importing = threading.Lock()


class OpenVinoRuntime:
    """OpenVINO on the processor: in bf16 with avx512_bf16 or AMX, else in full precision. Imported at the first use."""

    @cached_property
    def _core(self) -> Any:
        return import_openvino().Core()

    @cached_property
    def rounding(self) -> str:
        """``bf16`` where the processor computes in it, else nothing.

        Raises:
            ConfigurationError: OpenVINO is not installed.
        """
        # With AVX-512 alone bf16 is listed too, but simulated, slower than fp32: OpenVINO does not choose it there by
        # itself. Where it chooses f16, bf16 keeps the range of the numbers.
        listed = "BF16" in self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        chosen = self._core.get_property("CPU", "INFERENCE_PRECISION_HINT").get_type_name()
        return "bf16" if listed and chosen in ("bf16", "f16") else ""

    def open(self, graph: Path, *, threads: int) -> GraphRunner:
        """Compile the graph for this processor: a quarter of a second.

        Raises:
            ConfigurationError: OpenVINO is not installed.
        """
        options = {
            "INFERENCE_PRECISION_HINT": self.rounding or "f32",
            "INFERENCE_NUM_THREADS": threads,
            # All cores work on one batch: batches are made large enough for that, and a question waits for none.
            "PERFORMANCE_HINT": "LATENCY",
            # Threads bound to cores would wait there for other work on the same cores.
            "ENABLE_CPU_PINNING": False,
        }
        return _OpenVinoRunner(self._core.compile_model(str(graph), "CPU", options))


class _OpenVinoRunner:
    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        # A request serves one thread at a time. Popping and appending of a deque are atomic.
        self._idle: deque[Any] = deque()

    def run(self, outputs: Sequence[Output], inputs: Mapping[str, Integers], *, give_back: bool) -> tuple[Matrix, ...]:
        try:
            request = self._idle.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        request.infer(dict(inputs), share_inputs=True)
        # The request writes its next result to the same place.
        results = tuple(np.array(request.get_tensor(output).data, dtype=np.float32) for output in outputs)
        self._idle.append(request)
        if give_back:
            # Refused while another thread computes, which gives it back at its own end.
            with suppress(RuntimeError):
                self._compiled.release_memory()
        return results


def import_openvino() -> Any:
    """Import OpenVINO without its telemetry, which would tell its maker over the network of each import.

    Its package falls back to a stub where that module cannot be imported.

    Raises:
        ConfigurationError: OpenVINO is not installed.
    """
    with _importing:
        hidden = _TELEMETRY not in sys.modules
        if hidden:
            sys.modules[_TELEMETRY] = None  # type: ignore[assignment]
        try:
            import openvino
        except ImportError as error:
            raise ConfigurationError(
                f"OpenVINO cannot be imported ({error}): pip install 'golden-retriever-bot[openvino]', "
                "or set GOLDEN_EMBEDDING_RUNTIME=onnx."
            ) from error
        finally:
            if hidden:
                del sys.modules[_TELEMETRY]
        return openvino
