"""Vectors of the library's passages, computed before anybody asks and stored in a file."""

import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import structlog

from contracts.text import Span
from tools.embedding.base import Matrix, TokenEmbeddings

_FORMAT = 2
_KEYS_A_QUERY = 500
_BUSY_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS passages (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (passage TEXT NOT NULL, key BLOB NOT NULL, content BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS vectors_by_key ON vectors (key);
CREATE INDEX IF NOT EXISTS vectors_by_passage ON vectors (passage);
"""

T = TypeVar("T")
TextKind = Literal["document", "query", "tokens"]

_log = structlog.get_logger(__name__)


class PrecomputedVectors:
    """Stores the vectors of each passage's texts in an SQLite file in ``folder``, up to ``most_bytes``.

    The file is derived: it may be deleted at any time, and one that cannot be read counts as empty, so no method
    raises. All methods block. Safe to share between threads and processes.
    """

    def __init__(self, folder: Path, embedder_name: str, *, most_bytes: int) -> None:
        self._path = folder / f"passages-{_FORMAT}-{sha256(embedder_name.encode()).hexdigest()[:16]}.db"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._last_warning = ""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return what is stored under ``keys`` (see ``text_key``); missing keys are left out."""

        def read(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            found: dict[bytes, bytes] = {}
            for start in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[start : start + _KEYS_A_QUERY]
                marks = ",".join("?" * len(some))
                # Passages that share a text have a row each.
                query = f"SELECT key, content FROM vectors WHERE key IN ({marks}) GROUP BY key"
                found.update(connection.execute(query, some))
            return found

        return self._use(read, {})

    def passages(self) -> frozenset[str]:
        """Return the ids of the passages whose vectors are stored."""
        return self._use(
            lambda connection: frozenset(row[0] for row in connection.execute("SELECT id FROM passages")), frozenset()
        )

    def has(self, passage_id: str) -> bool:
        """Say whether the vectors of this passage are stored."""
        query = "SELECT 1 FROM passages WHERE id = ?"
        return self._use(lambda connection: connection.execute(query, [passage_id]).fetchone() is not None, False)

    def add(self, passage_id: str, contents: Mapping[bytes, bytes]) -> None:
        """Store all vectors of one passage, packed, by the keys of their texts; nothing if they are there."""

        def write(connection: sqlite3.Connection) -> None:
            if connection.execute("INSERT OR IGNORE INTO passages VALUES (?)", [passage_id]).rowcount:
                rows = [(passage_id, key, content) for key, content in contents.items()]
                connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", rows)

        self._use(write, None)

    def keep_only(self, passage_ids: Collection[str]) -> None:
        """Delete the vectors of every passage but these, and overwrite them in the file."""
        gone = [[passage_id] for passage_id in self.passages() - frozenset(passage_ids)]

        def delete(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM vectors WHERE passage = ?", gone)
            connection.executemany("DELETE FROM passages WHERE id = ?", gone)

        if gone:
            self._use(delete, None)
            self._use(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"), None)

    def is_full(self) -> bool:
        """Say whether the file has reached its largest size, or cannot be used."""
        query = (
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        )

        return self._use(lambda connection: int(connection.execute(query).fetchone()[0]) >= self._most_bytes, True)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    def _use(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Return what ``work`` returns in one transaction, or ``otherwise`` where the file cannot be used."""
        with self._lock:
            try:
                self._connection = self._connection or self._open()
                with self._connection as connection:
                    return work(connection)
            except (sqlite3.Error, OSError) as error:
                self._close()
                # Operational errors (a lock, a full disk, missing rights) may pass; a damaged file is written anew.
                if not isinstance(error, sqlite3.OperationalError | OSError):
                    _remove(self._path)
                # Every question would repeat it.
                if self._last_warning != str(error):
                    self._last_warning = str(error)
                    _log.warning("precomputed vectors cannot be used", file=str(self._path), reason=str(error))
                return otherwise

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for other in self._path.parent.glob("passages-*.db"):
            if other != self._path:
                _remove(other)
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False)
        try:
            # Losing the last vectors in a crash costs only the time to compute them again.
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def text_key(kind: TextKind, text: str) -> bytes:
    """Return the key (16 bytes) of a text's vectors of one kind, by its content."""
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pack(row: Matrix | TokenEmbeddings) -> bytes:
    """Return a vector in float32, or the number of tokens, their spans and float16 vectors, as bytes."""
    if isinstance(row, np.ndarray):
        return np.ascontiguousarray(row, dtype=np.float32).tobytes()
    spans = np.array([(span.start, span.end) for span in row.spans], dtype=np.int32)
    return np.int32(len(row.spans)).tobytes() + spans.tobytes() + row.vectors.astype(np.float16).tobytes()


def unpack_vector(content: bytes, dimensions: int) -> Matrix | None:
    """Return the vector that ``pack`` made ``content`` of; None where it is of another length."""
    return np.frombuffer(content, dtype=np.float32) if len(content) == 4 * dimensions else None


def unpack_tokens(content: bytes, dimensions: int) -> TokenEmbeddings | None:
    """Return the tokens that ``pack`` made ``content`` of; None where it is of another length."""
    count = int(np.frombuffer(content, dtype=np.int32, count=1)[0]) if len(content) >= 4 else -1
    if count < 0 or len(content) != 4 + count * (8 + 2 * dimensions):
        return None
    spans = np.frombuffer(content, dtype=np.int32, offset=4, count=2 * count).reshape(count, 2)
    vectors = np.frombuffer(content, dtype=np.float16, offset=4 + 8 * count).reshape(count, dimensions)
    return TokenEmbeddings(
        vectors=vectors.astype(np.float32), spans=tuple(Span(start, end) for start, end in spans.tolist())
    )


def rounded(row: TokenEmbeddings) -> TokenEmbeddings:
    """Return tokens as they are stored, so that no answer depends on whether they were precomputed."""
    return TokenEmbeddings(vectors=row.vectors.astype(np.float16).astype(np.float32), spans=row.spans)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink()
