"""A cache for any embedder, so that a text that several judges use is embedded only once."""

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Literal, TypeVar, cast

import numpy as np

from tools.embedding.base import Embedder, Matrix, TokenEmbeddings

_TextKind = Literal["document", "query", "tokens"]
_Row = TypeVar("_Row", Matrix, TokenEmbeddings)


class CachedEmbedder:
    """Caches the vectors of the most recent texts by content.

    ``capacity`` is the number of vectors; a text embedded by token uses one vector per token. With 384 float32
    dimensions, 20,000 vectors take 31 MB. Safe to share between threads and event loops.
    """

    def __init__(self, inner: Embedder, capacity: int = 20_000) -> None:
        self._inner = inner
        self._capacity = capacity
        self._kept: OrderedDict[bytes, Matrix | TokenEmbeddings] = OrderedDict()
        self._rows = 0
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        rows = await self._recall("document", texts, self._inner.embed_documents)
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        rows = await self._recall("query", texts, self._inner.embed_queries)
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        return tuple(await self._recall("tokens", texts, self._inner.embed_tokens))

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)

    async def _recall(
        self, kind: _TextKind, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[Iterable[_Row]]]
    ) -> list[_Row]:
        keys = [_key(kind, text) for text in texts]
        found: dict[bytes, _Row] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    # The key contains the kind, so its value is a row of that kind.
                    found[key] = cast(_Row, self._kept[key])
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            rows = await embed(list(new.values()))
            made = {key: cast(_Row, _own(row)) for key, row in zip(new, rows, strict=True)}
            self._keep(made)
            found |= made
        return [found[key] for key in keys]

    def _keep(self, rows: Mapping[bytes, Matrix | TokenEmbeddings]) -> None:
        with self._lock:
            for key, row in rows.items():
                if key not in self._kept:
                    self._kept[key] = row
                    self._rows += _cost(row)
            while self._rows > self._capacity and self._kept:
                _, oldest = self._kept.popitem(last=False)
                self._rows -= _cost(oldest)


def _key(kind: _TextKind, text: str) -> bytes:
    """Return the key (16 bytes) for the vectors of one kind of a text, based on its content."""
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _own(row: Matrix | TokenEmbeddings) -> Matrix | TokenEmbeddings:
    # A row that is not copied would keep the whole matrix in memory.
    return row if isinstance(row, TokenEmbeddings) else row.copy()


def _cost(row: Matrix | TokenEmbeddings) -> int:
    return 1 if isinstance(row, np.ndarray) else max(1, len(row.spans))
