"""Precomputation: embeds the texts of the library's passages between questions, before anybody asks."""

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog

from contracts.errors import Unavailable
from contracts.text import Passage
from library.store import LibraryStore
from tools.embedding.base import Embedder
from tools.embedding.precomputed_vectors import PrecomputedVectors, pack, text_key
from tools.evidence.passages import texts_read
from tools.reading.scoring import texts_scored
from tools.search.passages import sentences_in

_LOOK_EVERY_S = 5.0
# A passage waits until nobody has asked for so long, or at the latest for so long.
_PAUSE_S, _LONGEST_WAIT_S = 2.0, 30.0

_log = structlog.get_logger(__name__)


class VectorPrecomputation:
    """Stores the vectors that judgements need of each passage in the library, and deletes those of removed passages.

    ``embedder`` computes the vectors, without a cache: passages would displace what questions use. ``idle_s`` returns
    how long nobody else has used it, in seconds. Several processes may run on one file: each starts with other passages
    and skips what it finds there.
    """

    def __init__(
        self, store: LibraryStore, embedder: Embedder, vectors: PrecomputedVectors, *, idle_s: Callable[[], float]
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._vectors = vectors
        self._idle_s = idle_s

    async def run(self) -> None:
        """Follow the library until cancelled, between questions."""
        done = -1
        while True:
            # Without its database the server answers nothing; when that is back, this goes on.
            with suppress(Unavailable):
                version = await asyncio.to_thread(self._store.version)
                if version != done and await self.update(between_questions=True):
                    done = version
            await asyncio.sleep(_LOOK_EVERY_S)

    async def update(self, *, between_questions: bool = False) -> bool:
        """Compute what is missing and delete what is no longer needed; stop where the file is full.

        Return False where the library changed meanwhile: there may be more to do.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        version = await asyncio.to_thread(self._store.version)
        for chunk_id in await asyncio.to_thread(self._missing):
            if between_questions:
                await self._wait_for_pause()
            if await asyncio.to_thread(self._store.version) != version:
                return False
            if await asyncio.to_thread(self._vectors.is_full):
                _log.info("no more room for precomputed vectors")
                return True
            if not await asyncio.to_thread(self._vectors.has, chunk_id):
                await self._compute(chunk_id)
        return True

    async def delete_removed(self) -> None:
        """Delete the vectors of passages that are not in the library. Raises as ``update`` does."""
        await asyncio.to_thread(self._delete_removed)

    async def count(self, chunk_ids: Sequence[str]) -> int:
        """Count those of these passages whose vectors are stored."""
        return len(await asyncio.to_thread(self._vectors.passages) & set(chunk_ids))

    def _delete_removed(self) -> list[str]:
        ids = self._store.searchable_ids(embedder=self._embedder.name)
        self._vectors.keep_only(ids)
        return ids

    def _missing(self) -> list[str]:
        ids = self._delete_removed()
        there = self._vectors.passages()
        missing = [chunk_id for chunk_id in ids if chunk_id not in there]
        random.shuffle(missing)
        return missing

    async def _wait_for_pause(self) -> None:
        waited = 0.0
        while (rest := _PAUSE_S - self._idle_s()) > 0 and waited < _LONGEST_WAIT_S:
            await asyncio.sleep(rest)
            waited += rest

    async def _compute(self, chunk_id: str) -> None:
        whole, by_tokens = await asyncio.to_thread(self._texts, chunk_id)
        contents: dict[bytes, bytes] = {}
        if whole:
            vectors = await self._embedder.embed_documents(whole)
            contents |= {text_key("document", text): pack(row) for text, row in zip(whole, vectors, strict=True)}
        if by_tokens:
            tokens = await self._embedder.embed_tokens(by_tokens)
            contents |= {text_key("tokens", text): pack(row) for text, row in zip(by_tokens, tokens, strict=True)}
        await asyncio.to_thread(self._vectors.add, chunk_id, contents)

    def _texts(self, chunk_id: str) -> tuple[list[str], list[str]]:
        """Return what judgements embed of a passage: whole texts, and texts by their tokens."""
        chunk = self._store.chunks([chunk_id]).get(chunk_id)
        document = self._store.document(chunk.document_id) if chunk is not None else None
        if chunk is None or document is None or chunk.kind != "passage":
            return [], []
        passage = Passage(
            chunk=chunk,
            document_name=document.name,
            document_title=document.title,
            score=0.0,
            sentences=sentences_in(chunk),
        )
        units, windows = texts_read(passage)
        return list(dict.fromkeys([*units, *texts_scored(passage)])), list(dict.fromkeys(windows))
