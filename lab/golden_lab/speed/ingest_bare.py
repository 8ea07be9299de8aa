"""What ingestion is measured against: each engine by itself, on all cores, without anything of the product."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from contracts.errors import Unavailable
from tools.embedding.onnx_graph import cached_graph
from tools.embedding.openvino import OpenVinoRuntime, import_openvino
from tools.embedding.weights import find_default_model, read_revision, read_shape

# The bare model at its best: on two cores larger batches take a tenth more time.
_BATCH_TEXTS = 32
_BATCH_TOKENS = 512
_OCR_TIMEOUT_S = 120.0


def extract_text(path: Path) -> int:
    """Take the text of each page of a PDF with pdfplumber and nothing else; return how many pages there are."""
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            page.extract_text()
            page.close()
        return len(pdf.pages)


def run_tesseract(image: Path, language: str) -> int:
    """Read an image with the program itself, one thread, words with boxes and confidences; return how many lines.

    Raises:
        Unavailable: the program is not installed, or fails.
    """
    command = ["tesseract", str(image), "stdout", "-l", language, "tsv"]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_OCR_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"tesseract did not read a page ({error}); see that it is installed") from error
    return done.stdout.count(b"\n")


class BareModel:
    """The default embedding model in its runtime: tokenised at once, sorted by length, batches of up to 32 texts."""

    def __init__(self, cache_folder: Path, *, threads: int, runtime: Literal["onnx", "openvino"] = "onnx") -> None:
        from tokenizers import Tokenizer

        folder = find_default_model()
        shape = read_shape(folder)
        graph = cached_graph(folder, cache_folder, shape, read_revision(folder))
        self._compute = _on_openvino(graph, threads) if runtime == "openvino" else _on_onnx_runtime(graph, threads)
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(shape.max_tokens)

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Embed texts: shape ``(len(texts), dimensions)``."""
        ids = [each.ids for each in self._tokenizer.encode_batch_fast(list(texts))]
        order = sorted(range(len(ids)), key=lambda row: -len(ids[row]))
        vectors: list[Any] = [None] * len(ids)
        start = 0
        while start < len(order):
            width = len(ids[order[start]])
            rows = order[start : start + max(1, min(_BATCH_TEXTS, _BATCH_TOKENS // width))]
            tokens = np.zeros((len(rows), width), dtype=np.int32)
            mask = np.zeros((len(rows), width), dtype=np.int32)
            for place, row in enumerate(rows):
                tokens[place, : len(ids[row])] = ids[row]
                mask[place, : len(ids[row])] = 1
            found = self._compute({"input_ids": tokens, "attention_mask": mask})
            for place, row in enumerate(rows):
                vectors[row] = found[place]
            start += len(rows)
        return np.stack(vectors)


def _on_onnx_runtime(graph: Path, threads: int) -> Callable[[dict[str, Any]], Any]:
    import onnxruntime

    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: Any = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(["sentence"], inputs)[0]


def _on_openvino(graph: Path, threads: int) -> Callable[[dict[str, Any]], Any]:
    core = import_openvino().Core()
    options = {
        "INFERENCE_PRECISION_HINT": OpenVinoRuntime().rounding or "f32",
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "ENABLE_CPU_PINNING": False,
    }
    request: Any = core.compile_model(str(graph), "CPU", options).create_infer_request()

    def compute(inputs: dict[str, Any]) -> Any:
        request.infer(inputs, share_inputs=True)
        # The next result is written to the same place.
        return request.get_tensor("sentence").data.copy()

    return compute
