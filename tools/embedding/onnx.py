"""Sentence embeddings with ONNX Runtime, which runs the default model without torch."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span
from tools.cores import usable_cores
from tools.embedding.base import Matrix, TokenEmbeddings
from tools.embedding.onnx_graph import cached_graph, drop_cached_graph
from tools.embedding.weights import DIMENSIONS, MAX_TOKENS, model_label, read_revision
from tools.telemetry import refuse_telemetry
from tools.tokenizer_files import open_tokenizer, special_token

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Integers = NDArray[np.int32]
Output = Literal["sentence", "hidden"]

# A batch contains this many tokens per thread, including padding, within these limits: larger batches exceed the CPU
# caches and need more padding. On two cores, batches of 512 tokens take 10% less time than batches of 2,048.
_BATCH_TOKENS_A_THREAD = 256
_LEAST_BATCH_TOKENS, _MOST_BATCH_TOKENS = 512, 2_048
_BATCH_TEXTS = 32
_SMALL_BATCH_TOKENS = 256
_FEW_TEXTS = 2


class OnnxEmbedder:
    """Embeds with all-MiniLM-L6-v2 from its safetensors file. Thread-safe; the model is loaded on first use.

    ``model_folder`` has the layout of sentence-transformers; ``cache_folder`` stores the graph that is built from it.
    CPU work runs outside the event loop, on all cores that the process may use (or ``threads``).
    """

    def __init__(self, model_folder: Path, cache_folder: Path, *, threads: int | None = None) -> None:
        self._model_folder = model_folder
        self._cache_folder = cache_folder
        self._threads = threads or usable_cores()
        self._batch_tokens = min(max(_BATCH_TOKENS_A_THREAD * self._threads, _LEAST_BATCH_TOKENS), _MOST_BATCH_TOKENS)
        self._opening = threading.Lock()
        self._opened: tuple[InferenceSession, Tokenizer] | None = None

    @cached_property
    def _revision(self) -> str:
        return read_revision(self._model_folder)

    @cached_property
    def _label(self) -> str:
        return model_label(self._model_folder)

    @property
    def name(self) -> str:
        return f"{self._label}@{self._revision}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def max_tokens(self) -> int:
        return MAX_TOKENS - 2

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return await asyncio.to_thread(self._embed_wordings, tuple(texts))

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        return await asyncio.to_thread(self._embed_tokens, tuple(texts))

    def count_tokens(self, text: str) -> int:
        _, tokenizer = self._open()
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    def _embed(self, texts: tuple[str, ...]) -> Matrix:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if texts:
            session, tokenizer = self._open()
            encodings = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
            batches = self._batches(encodings)
            large = any(inputs["input_ids"].size > _SMALL_BATCH_TOKENS for _, inputs in batches)
            for number, (rows, inputs) in enumerate(batches, start=1):
                vectors[rows] = _run(session, "sentence", inputs, give_back=large and number == len(batches))
        return vectors

    def _embed_wordings(self, texts: tuple[str, ...]) -> Matrix:
        """Embed a few texts one at a time, which is faster than one padded batch."""
        if 1 < len(texts) <= _FEW_TEXTS:
            return np.concatenate([self._embed((text,)) for text in texts])
        return self._embed(texts)

    def _embed_tokens(self, texts: tuple[str, ...]) -> tuple[TokenEmbeddings, ...]:
        if not texts:
            return ()
        session, tokenizer = self._open()
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        found: list[TokenEmbeddings | None] = [None] * len(texts)
        for rows, inputs in self._batches(encodings):
            large = inputs["input_ids"].size > _SMALL_BATCH_TOKENS
            hidden = _run(session, "hidden", inputs, give_back=large)
            for row, states in zip(rows, hidden, strict=True):
                found[row] = self._token_embeddings(encodings[row], states)
        return tuple(entry for entry in found if entry is not None)

    def _token_embeddings(self, encoding: "Encoding", states: Matrix) -> TokenEmbeddings:
        spans = tuple(Span(*offsets) for offsets in encoding.offsets[: self.max_tokens])
        inner = states[1 : 1 + len(spans)]
        lengths = np.linalg.norm(inner, axis=1, keepdims=True)
        return TokenEmbeddings(vectors=inner / np.maximum(lengths, 1e-12), spans=spans)

    def _batches(self, encodings: "Sequence[Encoding]") -> list[tuple[list[int], dict[str, Integers]]]:
        # Texts of similar length share a batch, to reduce padding; the longest texts come first, so that a lack of
        # memory becomes apparent at once.
        ids = [encoding.ids[: self.max_tokens] for encoding in encodings]
        order = sorted(range(len(ids)), key=lambda row: -len(ids[row]))
        batches = []
        start = 0
        while start < len(order):
            width = len(ids[order[start]]) + 2
            rows = order[start : start + max(1, min(_BATCH_TEXTS, self._batch_tokens // width))]
            batches.append((rows, self._inputs([ids[row] for row in rows], width)))
            start += len(rows)
        return batches

    def _inputs(self, ids: list[list[int]], width: int) -> dict[str, Integers]:
        first, last, padding = self._special_tokens
        tokens = np.full((len(ids), width), padding, dtype=np.int32)
        mask = np.zeros((len(ids), width), dtype=np.int32)
        for row, inner in enumerate(ids):
            tokens[row, : len(inner) + 2] = [first, *inner, last]
            mask[row, : len(inner) + 2] = 1
        return {"input_ids": tokens, "attention_mask": mask}

    @cached_property
    def _special_tokens(self) -> tuple[int, int, int]:
        _, tokenizer = self._open()
        path = self._model_folder / "tokenizer.json"
        first, last, padding = (special_token(tokenizer, token, path) for token in ("[CLS]", "[SEP]", "[PAD]"))
        return first, last, padding

    def _open(self) -> "tuple[InferenceSession, Tokenizer]":
        with self._opening:
            if self._opened is None:
                self._opened = self._open_session(), open_tokenizer(self._model_folder / "tokenizer.json")
            return self._opened

    def _open_session(self) -> "InferenceSession":
        graph = cached_graph(self._model_folder, self._cache_folder, self._revision)
        try:
            return _start_session(graph, self._threads)
        except Exception:
            # If the cached file was truncated or changed, rebuild it from the weights, once.
            drop_cached_graph(graph)
            graph = cached_graph(self._model_folder, self._cache_folder, self._revision)
            return _start_session(graph, self._threads)


def _start_session(graph: Path, threads: int) -> "InferenceSession":
    refuse_telemetry()
    import onnxruntime

    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The graph already uses fused operators.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # With spinning threads, a single short text takes a third less time; but if other work needs the cores, it takes
    # twice the processor time, and more time in total.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _run(session: "InferenceSession", output: Output, inputs: Mapping[str, Integers], *, give_back: bool) -> Matrix:
    """Compute one output for a batch; ``give_back`` returns the working memory of large batches to the system."""
    import onnxruntime

    options: Any = onnxruntime.RunOptions()
    if give_back:
        # This keeps the memory of a server small after ingestion. It is done once per call, not per batch,
        # because allocating the memory again for every batch would take 5% of the running time.
        options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    result: Matrix = session.run([output], dict(inputs), options)[0]
    return result
