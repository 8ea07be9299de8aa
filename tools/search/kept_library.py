"""The library's rows of one state of it, read once: questions that follow one another find many of the same."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from contracts.text import Chunk, Document
from library.store import LibraryStore
from tools.embedding.base import Matrix
from tools.kept import KeptOfVersion


class KeptLibrary:
    """Reads a library and keeps what was used last, as long as the library does not change.

    ``most`` counts chunks (some 5 KB each), vectors (1.5 KB at 384 dimensions), sections (the ids of their passages)
    and documents (1 KB), each by itself. The ``version`` that each call wants is that of the library which the caller
    saw last. Safe to share between threads. Every method raises ``Unavailable`` where the library cannot be read.
    """

    def __init__(self, store: LibraryStore, most: int = 2_000) -> None:
        self._store = store
        self._chunks: KeptOfVersion[str, Chunk] = KeptOfVersion(most)
        self._vectors: KeptOfVersion[str, Matrix] = KeptOfVersion(most)
        self._sections: KeptOfVersion[str, tuple[str, ...]] = KeptOfVersion(most)
        self._documents: KeptOfVersion[str, Document] = KeptOfVersion(most)

    def chunks(self, ids: Sequence[str], version: int) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order of ``ids``; ids that do not exist are left out."""
        return self._chunks.read(ids, version, self._store.chunks)

    def vectors(self, ids: Sequence[str], version: int) -> Matrix:
        """Return the vectors of these chunks, in the order of ``ids``: shape ``(len(ids), dimensions)``.

        Raises:
            NotFound: one of them has no vector (any longer).
        """
        found = self._vectors.read(ids, version, self._read_vectors)
        rows = [found[chunk_id] for chunk_id in ids]
        # Stacking them looks at each for its shape, which takes longer than copying it.
        return np.concatenate(rows).reshape(len(rows), -1) if rows else np.empty((0, 0), dtype=np.float32)

    def section_passages(self, section_ids: Sequence[str], version: int) -> dict[str, tuple[str, ...]]:
        """Return the ids of the passages of each section, in their order; a section without any has none."""
        return self._sections.read(section_ids, version, self._store.section_passages)

    def documents(self, ids: Collection[str], version: int) -> dict[str, Document]:
        """Return the documents with these ids; ids that do not exist are left out."""
        return self._documents.read([*ids], version, self._store.documents_of)

    def _read_vectors(self, ids: Sequence[str]) -> Mapping[str, Matrix]:
        # A row of a matrix would keep the whole matrix in memory.
        return {chunk_id: row.copy() for chunk_id, row in zip(ids, self._store.vectors(ids), strict=True)}
