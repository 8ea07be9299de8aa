"""A cache before any embedder: a text that several judges look at is embedded once."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar, cast

import numpy as np

from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.embedding.precomputed_vectors import (
    PrecomputedVectors,
    TextKind,
    rounded,
    text_key,
    unpack_tokens,
    unpack_vector,
)

_Row = TypeVar("_Row", Matrix, TokenEmbeddings)


class CachedEmbedder:
    """Remembers the vectors of the texts it saw last, addressed by their content.

    ``capacity`` counts vectors: a text embedded by its tokens costs one a token. At 384 float32 dimensions 20 000
    vectors are 31 MB. What is not remembered is looked up in ``precomputed``, if given; token vectors are then rounded
    as they are stored there. Safe to share between threads and event loops.
    """

    def __init__(
        self, inner: Embedder, capacity: int = 20_000, *, precomputed: PrecomputedVectors | None = None
    ) -> None:
        self._inner = inner
        self._precomputed = precomputed
        self._capacity = capacity
        self._kept: OrderedDict[bytes, Matrix | TokenEmbeddings] = OrderedDict()
        self._rows = 0
        self._lock = threading.Lock()
        self._used_at = time.monotonic()

    def idle_s(self) -> float:
        """Return the seconds since a vector was last asked for."""
        return time.monotonic() - self._used_at

    @property
    def name(self) -> str:
        """The inner embedder's name: the vectors are the same."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._inner.dimensions

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are looked at."""
        return self._inner.max_tokens

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts to be found; only those not seen before reach the inner embedder, each once."""
        rows = await self._recall("document", texts, self._inner.embed_documents)
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions; only those not seen before reach the inner embedder, each once."""
        rows = await self._recall("query", texts, self._inner.embed_queries)
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        """Embed each token in its text; only texts not seen before reach the inner embedder, each once."""
        return tuple(await self._recall("tokens", texts, self._inner.embed_tokens))

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of ``text``."""
        return self._inner.count_tokens(text)

    async def _recall(
        self, kind: TextKind, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[Iterable[_Row]]]
    ) -> list[_Row]:
        self._used_at = time.monotonic()
        keys = [text_key(kind, text) for text in texts]
        found: dict[bytes, _Row] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    # A key names its kind, so what is kept under it is a row of that kind.
                    found[key] = cast(_Row, self._kept[key])
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        made: dict[bytes, _Row] = {}
        # The tokens of a question are asked for after its vector; only passages are precomputed.
        sought = [key for key, text in new.items() if kind != "query" and text_key("query", text) not in self._kept]
        if sought and self._precomputed is not None:
            stored = await asyncio.to_thread(self._read_precomputed, self._precomputed, kind, sought)
            made.update(cast(Mapping[bytes, _Row], stored))
        lacking = [key for key in new if key not in made]
        if lacking:
            for key, row in zip(lacking, await embed([new[key] for key in lacking]), strict=True):
                made[key] = cast(_Row, self._own(row))
            self._used_at = time.monotonic()
        if made:
            self._keep(made)
        found |= made
        return [found[key] for key in keys]

    def _read_precomputed(
        self, precomputed: PrecomputedVectors, kind: TextKind, keys: Sequence[bytes]
    ) -> dict[bytes, Matrix | TokenEmbeddings]:
        unpack = unpack_tokens if kind == "tokens" else unpack_vector
        rows = {key: unpack(content, self.dimensions) for key, content in precomputed.get(keys).items()}
        return {key: row for key, row in rows.items() if row is not None}

    def _own(self, row: Matrix | TokenEmbeddings) -> Matrix | TokenEmbeddings:
        if isinstance(row, TokenEmbeddings):
            return rounded(row) if self._precomputed is not None else row
        # A row of a matrix would keep the whole matrix in memory.
        return row.copy()

    def _keep(self, rows: Mapping[bytes, Matrix | TokenEmbeddings]) -> None:
        with self._lock:
            for key, row in rows.items():
                if key not in self._kept:
                    self._kept[key] = row
                    self._rows += _cost(row)
            while self._rows > self._capacity and self._kept:
                _, oldest = self._kept.popitem(last=False)
                self._rows -= _cost(oldest)


def _cost(row: Matrix | TokenEmbeddings) -> int:
    return 1 if isinstance(row, np.ndarray) else max(1, len(row.spans))
