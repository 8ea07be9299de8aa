"""Approximate vector search with a Chroma server, which several processes and machines can share."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import text

from contracts.errors import ConfigurationError, Unavailable
from library.store import LibraryStore
from tools.search.chroma import ChromaVectorIndex

# The PostgreSQL advisory lock that lets only one process at a time change the collection.
_LOCK = 7_204_118_226


class ChromaServerIndex(ChromaVectorIndex):
    """Searches the vectors of ``embedder_name`` with the Chroma server at ``url`` (http or https).

    The collection is derived from SQL like an index in a folder: it is compared, corrected, and rebuilt if damaged.
    Only one process at a time does this, so that no process removes what another has just added; it holds a PostgreSQL
    lock or else ``lock_file``. The name of the collection begins with ``name``; each model has its own collection.

    Raises:
        ConfigurationError: ``url`` is not an address.
    """

    def __init__(
        self, url: str, store: LibraryStore, embedder_name: str, *, lock_file: Path, name: str = "golden"
    ) -> None:
        super().__init__(lock_file.parent, store, embedder_name)
        try:
            address = urlsplit(url)
            self._host, self._port = address.hostname or "", address.port
        except ValueError as error:
            raise ConfigurationError(f"GOLDEN_CHROMA_URL={url}: {error}") from error
        if address.scheme not in ("http", "https") or not self._host:
            raise ConfigurationError(f"GOLDEN_CHROMA_URL={url}: write it as http://host:8000")
        self._secure = address.scheme == "https"
        self._lock_file = lock_file
        self._name = f"{name}-{hashlib.sha256(embedder_name.encode()).hexdigest()[:12]}"

    def _synchronise(self) -> None:
        with self._alone():
            super()._synchronise()

    def _is_whole(self) -> bool:
        try:
            return bool(self._client.get_collection(self._name, embedding_function=None).id == self._collection.id)
        except Exception:
            # Another process rebuilt the collection, or the server is unreachable; in both cases it is reopened.
            return False

    def _discard(self) -> None:
        if self._client is None:
            self._open()
        with suppress(Exception):
            # If the collection cannot be deleted, a new one cannot be created either, and that error is raised below.
            self._client.delete_collection(self._name)
        self._release()

    def _own(self) -> None:
        """Do nothing, because the server owns its files."""

    def _connect(self) -> None:
        import chromadb
        from chromadb.config import Settings

        port = self._port or (443 if self._secure else 8000)
        self._client = chromadb.HttpClient(
            host=self._host, port=port, ssl=self._secure, settings=Settings(anonymized_telemetry=False)
        )
        self._collection = self._made_collection(self._name)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        engine = self._store.engine
        if engine.name == "postgresql":
            with engine.connect() as connection, connection.begin():
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                yield
            return
        try:
            self._lock_file.parent.mkdir(parents=True, exist_ok=True)
            lock = self._lock_file.open("w")
        except OSError as error:
            raise Unavailable(f"The lock file {self._lock_file} cannot be opened: {error}.") from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
