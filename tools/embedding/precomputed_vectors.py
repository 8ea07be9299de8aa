"""Precomputed vectors in a file: what judgements need of a passage, made once and kept until the passage goes."""

import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Literal

import numpy as np
import structlog

from contracts.text import Span
from tools.embedding.base import Matrix, TokenEmbeddings

_FORMAT = 1
_AT_ONCE = 500
_BUSY_S = 5.0
# A process that ended while it made a passage's vectors never finishes: after so long another one makes them.
_CLAIM_S = 600.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS owners (id TEXT PRIMARY KEY, claimed REAL NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owned (owner TEXT, key BLOB, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS owned_by_key ON owned (key);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, content BLOB NOT NULL);
"""

_Work = Callable[[sqlite3.Connection], None]
TextKind = Literal["document", "query", "tokens"]

_log = structlog.get_logger(__name__)


class PrecomputedVectors:
    """Keeps vectors by the content of their texts, each for the passages (owners) that need it.

    It is derived and may be deleted at any time: what is missing, torn or of another model is made anew. Token vectors
    are kept in float16 (768 bytes a token at 384 dimensions), vectors of sentences in float32. The file in ``folder``
    grows up to ``most_bytes``; nothing of it stays in memory but SQLite's 2 MB of pages. Safe to share between threads
    and processes. A file that cannot be used is as good as an empty one: nothing here raises.
    """

    def __init__(self, folder: Path, embedder_name: str, *, most_bytes: int) -> None:
        self._path = folder / f"passages-{_FORMAT}-{sha256(embedder_name.encode()).hexdigest()[:16]}.db"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._broken = False
        self._told = ""

    def recall(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return what is kept under ``keys``; those that are not are left out. Blocking."""
        found: dict[bytes, bytes] = {}

        def read(connection: sqlite3.Connection) -> None:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                found.update(connection.execute(f"SELECT key, content FROM vectors WHERE key IN ({marks})", some))

        self._use(read)
        return found

    def owners(self) -> frozenset[str]:
        """Return the passages whose vectors are all kept. Blocking."""
        found: set[str] = set()

        def read(connection: sqlite3.Connection) -> None:
            found.update(row[0] for row in connection.execute("SELECT id FROM owners WHERE done"))

        self._use(read)
        return frozenset(found)

    def claim(self, owner: str) -> bool:
        """Take it on to make the vectors of ``owner``; False where they are kept, or another process makes them."""
        now = time.time()
        taken: list[bool] = []

        def write(connection: sqlite3.Connection) -> None:
            # A clock that was set back must not keep a claim for ever.
            cursor = connection.execute(
                "INSERT INTO owners VALUES (?, ?, 0) ON CONFLICT (id) DO UPDATE SET claimed = excluded.claimed "
                "WHERE NOT done AND abs(excluded.claimed - claimed) > ?",
                (owner, now, _CLAIM_S),
            )
            taken.append(cursor.rowcount > 0)

        self._use(write)
        return bool(taken) and taken[0]

    def keep(self, owner: str, contents: Mapping[bytes, bytes], also: Collection[bytes] = ()) -> None:
        """Keep ``contents``; they and the kept ones ``also`` are all that ``owner`` needs. Blocking."""

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", contents.items())
            owned = [(owner, key) for key in (*contents, *also)]
            connection.executemany("INSERT OR IGNORE INTO owned VALUES (?, ?)", owned)
            # What another passage let go of meanwhile is not there: then this one is not complete.
            connection.execute(
                "INSERT OR REPLACE INTO owners SELECT ?, ?, NOT EXISTS (SELECT 1 FROM owned WHERE owner = ? AND key "
                "NOT IN (SELECT key FROM vectors))",
                (owner, 0.0, owner),
            )

        self._use(write)

    def retain(self, owners: Collection[str]) -> int:
        """Forget every passage but ``owners``, with its vectors; return how many passages went. Blocking.

        What is forgotten is overwritten in the file.
        """
        gone: list[str] = []

        def write(connection: sqlite3.Connection) -> None:
            gone.extend(row[0] for row in connection.execute("SELECT id FROM owners") if row[0] not in owners)
            if not gone:
                return
            ids = [(each,) for each in gone]
            lost: set[bytes] = set()
            for owner in ids:
                lost.update(row[0] for row in connection.execute("SELECT key FROM owned WHERE owner = ?", owner))
            connection.executemany("DELETE FROM owned WHERE owner = ?", ids)
            connection.executemany("DELETE FROM owners WHERE id = ?", ids)
            connection.executemany(
                "DELETE FROM vectors WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM owned WHERE key = ?1)",
                [(key,) for key in lost],
            )

        def empty_log(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        if self._use(write) and gone:
            self._use(empty_log)
        return len(gone)

    def is_full(self) -> bool:
        """Say whether the file has grown to its bound, or cannot be used. Blocking."""
        pages: list[int] = []

        def read(connection: sqlite3.Connection) -> None:
            pages.extend(
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )

        if not self._use(read):
            return True
        count, free, size = pages
        return (count - free) * size >= self._most_bytes

    def close(self) -> None:
        """Close the file; it is opened again where it is used."""
        with self._lock:
            self._let_go()

    def _use(self, work: _Work) -> bool:
        """Do ``work`` in one transaction; say whether that could be done."""
        with self._lock:
            for last in (False, True):
                if self._broken:
                    return False
                try:
                    connection = self._connection or self._open()
                    self._connection = connection
                    with connection:
                        work(connection)
                    return True
                except sqlite3.OperationalError as error:
                    # Locked for long, a full disk, a folder without rights: later it may be there again.
                    self._tell("vectors of passages cannot be kept", error)
                    self._let_go()
                    return False
                except (sqlite3.DatabaseError, OSError) as error:
                    self._tell("vectors of passages are made anew", error)
                    self._let_go()
                    _remove(self._path)
                    self._broken = last
        return False

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for other in self._path.parent.glob("passages-*.db"):
            if other != self._path:
                _remove(other)
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False)
        try:
            # Losing the last moments in a crash costs computing time, no more.
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _tell(self, event: str, error: Exception) -> None:
        # A folder without rights is met at every question: once is enough.
        if self._told != str(error):
            self._told = str(error)
            _log.warning(event, file=str(self._path), reason=self._told)

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def text_key(kind: TextKind, text: str) -> bytes:
    """Return the key (16 bytes) of a text's vectors of one kind, by its content."""
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pack(row: Matrix | TokenEmbeddings) -> bytes:
    """Return a row as it is kept: a vector in float32; tokens as their number, their spans and float16 vectors."""
    if isinstance(row, np.ndarray):
        return np.ascontiguousarray(row, dtype=np.float32).tobytes()
    spans = np.array([(span.start, span.end) for span in row.spans], dtype=np.int32)
    return np.int32(len(row.spans)).tobytes() + spans.tobytes() + row.vectors.astype(np.float16).tobytes()


def unpack_vector(content: bytes, dimensions: int) -> Matrix | None:
    """Return the vector that ``pack`` made ``content`` of; None where it is of another length."""
    vector = np.frombuffer(content, dtype=np.float32)
    return vector if len(vector) == dimensions else None


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
    """Return tokens as they come back from the file: so that no answer depends on what was kept."""
    return TokenEmbeddings(vectors=row.vectors.astype(np.float16).astype(np.float32), spans=row.spans)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink()
