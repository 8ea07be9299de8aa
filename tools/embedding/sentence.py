"""Sentence embeddings with the sentence-transformers library, for any model that it can load."""

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError
from contracts.text import Span
from tools.embedding.base import Matrix, TokenEmbeddings

_BATCH_TEXTS = 16


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model, given its name or the path of its folder.

    The model is loaded when it is first needed, which takes a few seconds. If a model has different prompts for
    questions and documents, they are used. Thread-safe.
    """

    def __init__(self, name_or_path: str) -> None:
        self._name_or_path = name_or_path
        self._opening = threading.Lock()

    @cached_property
    def _model(self) -> Any:
        with self._opening:
            return _load(self._name_or_path)

    @cached_property
    def name(self) -> str:
        return f"{Path(self._name_or_path).name}@{_revision(self._model)}"

    @cached_property
    def dimensions(self) -> int:
        return int(self._model.get_embedding_dimension())

    @cached_property
    def max_tokens(self) -> int:
        return int(self._model.max_seq_length) - int(self._model.tokenizer.num_special_tokens_to_add())

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await asyncio.to_thread(self._embed, list(texts), "encode_document")

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return await asyncio.to_thread(self._embed, list(texts), "encode_query")

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        return await asyncio.to_thread(self._embed_tokens, list(texts))

    def count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"])

    def _embed(self, texts: list[str], encode: str) -> Matrix:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = getattr(self._model, encode)(
            texts, batch_size=_BATCH_TEXTS, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def _embed_tokens(self, texts: list[str]) -> tuple[TokenEmbeddings, ...]:
        if not texts:
            return ()
        states = self._model.encode(
            texts, batch_size=_BATCH_TEXTS, output_value="token_embeddings", show_progress_bar=False
        )
        return tuple(self._token_embeddings(text, state) for text, state in zip(texts, states, strict=True))

    def _token_embeddings(self, text: str, state: Any) -> TokenEmbeddings:
        coding = self._model.tokenizer(
            text,
            truncation=True,
            max_length=int(self._model.max_seq_length),
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        special = np.asarray(coding["special_tokens_mask"], dtype=bool)
        spans = tuple(
            Span(*offsets)
            for offsets, is_special in zip(coding["offset_mapping"], special, strict=True)
            if not is_special
        )
        vectors = np.asarray(state.float().cpu().numpy(), dtype=np.float32)[: len(special)][~special]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return TokenEmbeddings(vectors=vectors / np.maximum(lengths, 1e-12), spans=spans)


def _load(name_or_path: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ConfigurationError(
            f"The embedding model {name_or_path} needs sentence-transformers: "
            "pip install 'golden-retriever-bot[sentence-transformers]'"
        ) from error
    try:
        return SentenceTransformer(name_or_path, device="cpu")
    except Exception as error:
        raise ConfigurationError(
            f"sentence-transformers cannot load the embedding model {name_or_path}: {error}. "
            "Give the path of a folder that contains one, or the name of a model that this machine can download."
        ) from error


def _revision(model: Any) -> str:
    digest = hashlib.sha256()
    for key, tensor in model.state_dict().items():
        digest.update(f"{key}{tuple(tensor.shape)}".encode())
        # The sum of each tensor detects any training, in a fraction of the time that hashing all bytes would take.
        digest.update(f"{float(tensor.double().sum()):.10g}|{float(tensor.double().abs().sum()):.10g}".encode())
    return digest.hexdigest()[:12]
