"""A cache of vectors on disk, so that a second run does not embed again."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contracts.text import Span
from tools.embedding.base import Embedder, Matrix, TokenEmbeddings

# The number of texts that are embedded before they are stored; an interrupted run keeps the stored ones.
_BATCH = 256


class StoredEmbedder:
    """Keeps another embedder's vectors in a SQLite file, as half floats: for fits and measurements only."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        # The event loop may run in a different thread from the one that opened the file; they never use it at the same
        # time.
        self._connection = sqlite3.connect(path, check_same_thread=False, timeout=60.0)
        self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, rows BLOB, spans BLOB)")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._inner.dimensions

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are read."""
        return self._inner.max_tokens

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of ``text``."""
        return self._inner.count_tokens(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that can be searched."""
        keys = [self._key("d", text) for text in texts]
        found = self._read(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        pairs = list(new.items())
        for start in range(0, len(pairs), _BATCH):
            some = pairs[start : start + _BATCH]
            vectors = await self._inner.embed_documents([text for _, text in some])
            rows_of = zip(some, vectors, strict=True)
            self._write([(key, row.astype(np.float16).tobytes(), b"") for (key, _), row in rows_of])
        if new:
            found |= self._read(list(new))
        rows = [np.frombuffer(found[key][0], dtype=np.float16) for key in keys]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions."""
        return await self._inner.embed_queries(texts)

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[TokenEmbeddings, ...]:
        """Embed each token in the context of its text."""
        keys = [self._key("t", text) for text in texts]
        found = self._read(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            rows = []
            for key, tokens in zip(new, await self._inner.embed_tokens(list(new.values())), strict=True):
                spans = np.array([(span.start, span.end) for span in tokens.spans], dtype=np.int32)
                rows.append((key, tokens.vectors.astype(np.float16).tobytes(), spans.tobytes()))
            self._write(rows)
            found |= self._read(list(new))
        return tuple(self._tokens(*found[key]) for key in keys)

    def _tokens(self, vectors: bytes, spans: bytes) -> TokenEmbeddings:
        matrix = np.frombuffer(vectors, dtype=np.float16).reshape(-1, self.dimensions).astype(np.float32)
        pairs = np.frombuffer(spans, dtype=np.int32).reshape(-1, 2).tolist()
        return TokenEmbeddings(vectors=matrix, spans=tuple(Span(*pair) for pair in pairs))

    def _key(self, kind: str, text: str) -> bytes:
        return hashlib.blake2b(f"{kind}\0{self.name}\0{text}".encode(), digest_size=16).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        found: dict[bytes, tuple[bytes, bytes]] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            for key, rows, spans in self._connection.execute(
                f"SELECT key, rows, spans FROM vectors WHERE key IN ({marks})", part
            ):
                found[key] = (rows, spans)
        return found

    def _write(self, rows: Sequence[tuple[bytes, bytes, bytes]]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
