"""Preparing: the vectors that judging a passage needs are made before anybody asks."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog

from contracts.errors import Unavailable
from contracts.text import Chunk, Document, Passage
from library.store import LibraryStore
from tools.embedding.base import Embedder, Matrix, TokenEmbeddings
from tools.embedding.precomputed_vectors import PrecomputedVectors, TextKind, pack, text_key
from tools.evidence.passages import texts_read
from tools.reading.scoring import texts_scored
from tools.search.sentences import sentences_in

# Questions come first: a passage is prepared when no vector was asked for so long, or at the latest after so long.
_QUIET_S, _PATIENCE_S = 2.0, 30.0
_LOOK_EVERY_S, _LOOK_AT_OTHERS_EVERY_S = 5.0, 60.0
_READ_AT_ONCE = 100

_log = structlog.get_logger(__name__)


class VectorPrecomputation:
    """Makes the file hold what judging the library's passages needs, and nothing of passages that are gone.

    SQL says which passages there are; their ids change with their text. ``embedder`` makes the vectors (a plain one:
    they must not drive what is in use from a cache), ``idle_s`` says for how long nobody else needed any. Several
    processes share the work by claims. A full file ends it: passages beyond are read when a question finds them.
    """

    def __init__(
        self, store: LibraryStore, embedder: Embedder, precomputed: PrecomputedVectors, *, idle_s: Callable[[], float]
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._precomputed = precomputed
        self._idle_s = idle_s

    async def run(self) -> None:
        """Follow the library until cancelled, between questions."""
        settled = -1
        while True:
            pause = _LOOK_EVERY_S
            # Without its database the server answers nothing; when that is back, this goes on.
            with suppress(Unavailable):
                version = await asyncio.to_thread(self._store.version)
                if version != settled:
                    if await self.synchronise(patient=True):
                        settled = version
                    else:
                        pause = _LOOK_AT_OTHERS_EVERY_S
            await asyncio.sleep(pause)

    async def synchronise(self, *, patient: bool = False) -> bool:
        """Prepare what is not prepared, and forget what is gone; ``patient`` lets questions go first.

        Returns whether all is prepared that there is room for: False where another process is at it, or the library
        changed meanwhile.

        Raises:
            Unavailable: the library cannot be read just now.
        """
        version = await asyncio.to_thread(self._store.version)
        ids = await asyncio.to_thread(self._forget_gone)
        prepared = await asyncio.to_thread(self._precomputed.owners)
        lacking = [chunk_id for chunk_id in ids if chunk_id not in prepared]
        documents: dict[str, Document | None] = {}
        whole = True
        for start in range(0, len(lacking), _READ_AT_ONCE):
            for chunk in await asyncio.to_thread(self._read, lacking[start : start + _READ_AT_ONCE]):
                if patient:
                    await self._wait_for_quiet()
                if await asyncio.to_thread(self._store.version) != version:
                    return False
                if await asyncio.to_thread(self._precomputed.is_full):
                    _log.info("no more room for vectors of passages", prepared=len(ids) - len(lacking) + start)
                    return True
                if chunk.document_id not in documents:
                    documents[chunk.document_id] = await asyncio.to_thread(self._store.document, chunk.document_id)
                whole = await self._prepare(chunk, documents[chunk.document_id]) and whole
        return whole

    async def forget_gone(self) -> None:
        """Forget the vectors of passages that are not in the library. Raises as ``synchronise`` does."""
        await asyncio.to_thread(self._forget_gone)

    async def kept_of(self, chunk_ids: Sequence[str]) -> int:
        """Count the passages among these of which vectors are kept."""
        return len(await asyncio.to_thread(self._precomputed.owners) & set(chunk_ids))

    def _forget_gone(self) -> list[str]:
        ids = self._store.searchable_ids(embedder=self._embedder.name)
        self._precomputed.retain(frozenset(ids))
        return ids

    def _read(self, ids: Sequence[str]) -> list[Chunk]:
        return list(self._store.chunks(ids).values())

    async def _wait_for_quiet(self) -> None:
        waited = 0.0
        while (lack := _QUIET_S - self._idle_s()) > 0 and waited < _PATIENCE_S:
            await asyncio.sleep(lack)
            waited += lack

    async def _prepare(self, chunk: Chunk, document: Document | None) -> bool:
        if not await asyncio.to_thread(self._precomputed.claim, chunk.id):
            return False
        whole: tuple[str, ...] = ()
        by_tokens: tuple[str, ...] = ()
        if chunk.kind == "passage" and document is not None:
            whole, by_tokens = await asyncio.to_thread(_texts_of, chunk, document)
        keys = {text_key("document", text): ("document", text) for text in whole}
        keys |= {text_key("tokens", text): ("tokens", text) for text in by_tokens}
        kept = await asyncio.to_thread(self._precomputed.recall, list(keys))
        new = {key: said for key, said in keys.items() if key not in kept}
        contents = await self._embed(new, "document") | await self._embed(new, "tokens")
        await asyncio.to_thread(self._precomputed.keep, chunk.id, contents, kept)
        return True

    async def _embed(self, new: "dict[bytes, tuple[str, str]]", kind: TextKind) -> dict[bytes, bytes]:
        texts = {key: text for key, (its_kind, text) in new.items() if its_kind == kind}
        rows: Sequence[Matrix | TokenEmbeddings] = ()
        if texts and kind == "document":
            rows = list(await self._embedder.embed_documents(list(texts.values())))
        elif texts:
            rows = await self._embedder.embed_tokens(list(texts.values()))
        return {key: pack(row) for key, row in zip(texts, rows, strict=True)}


def _texts_of(chunk: Chunk, document: Document) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is embedded of a passage whole, and by its tokens, whatever is asked."""
    passage = Passage(
        chunk=chunk,
        document_name=document.name,
        document_title=document.title,
        score=0.0,
        sentences=sentences_in(chunk),
    )
    units, windows = texts_read(passage)
    return tuple(dict.fromkeys([*units, *texts_scored(passage)])), tuple(dict.fromkeys(windows))
