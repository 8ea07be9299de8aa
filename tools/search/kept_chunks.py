"""Chunks of one state of the library, read once: questions that follow one another find many of the same."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from contracts.text import Chunk
from library.store import LibraryStore


class KeptChunks:
    """Keeps the chunks used last, ``most`` of them (some 5 KB each), as long as the library does not change.

    Safe to share between threads.
    """

    def __init__(self, store: LibraryStore, most: int = 2_000) -> None:
        self._store = store
        self._most = most
        self._kept: OrderedDict[str, Chunk] = OrderedDict()
        self._version = -1
        self._lock = threading.Lock()

    def read(self, ids: Sequence[str], version: int) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order of ``ids``; ids that do not exist are left out.

        ``version`` is that of the library which the caller saw last: what was kept of an earlier one is read again.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        with self._lock:
            if version > self._version:
                self._kept.clear()
                self._version = version
            current = version == self._version
            found = {chunk_id: self._kept[chunk_id] for chunk_id in ids if current and chunk_id in self._kept}
        read = self._store.chunks([chunk_id for chunk_id in ids if chunk_id not in found])
        with self._lock:
            if version == self._version:
                self._kept.update(read)
                for chunk_id in found:
                    if chunk_id in self._kept:
                        self._kept.move_to_end(chunk_id)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        found |= read
        return {chunk_id: found[chunk_id] for chunk_id in ids if chunk_id in found}
