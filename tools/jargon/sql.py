"""The jargon dictionary that lives in SQL."""

import asyncio
from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Correction, Sense, Vocabulary
from jargon_db.store import JargonStore
from tools.jargon.base import MAX_CORRECTIONS
from tools.jargon.spelling import KeptSpellings


class SqlJargonDictionary:
    """Reads the dictionary from ``store``, in threads, so that a slow database holds nothing else up."""

    def __init__(self, store: JargonStore) -> None:
        self._store = store
        self._vocabulary: Vocabulary | None = None
        self._refreshing = asyncio.Lock()
        self._near = KeptSpellings()
        self._corrections: tuple[str, tuple[Correction, ...]] = ("", ())

    async def version(self) -> str:
        """Return the dictionary's version, whichever process changed it."""
        return await asyncio.to_thread(self._store.version)

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling; the result for an unchanged version is kept."""
        # Read once, however many ask: a large dictionary is there twice otherwise.
        async with self._refreshing:
            if self._vocabulary is None or self._vocabulary.version != await self.version():
                self._vocabulary = await asyncio.to_thread(self._store.vocabulary)
            return self._vocabulary

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case: one entry for each of ``terms``."""
        return await asyncio.to_thread(self._store.look_up, terms, state="published") if terms else {}

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses that were mined from the documents: one entry for each of ``terms``."""
        return await asyncio.to_thread(self._store.look_up, terms, state="draft") if terms else {}

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""
        return await asyncio.to_thread(self._store.contexts)

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Name at most ``limit`` spellings that are nearly like ``term``, nearest first."""
        return await self._near.nearest(await self.vocabulary(), term, limit)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody defined: the queue that the manager empties."""
        await asyncio.to_thread(self._store.record_unknown, term, question, context)

    async def record_correction(self, correction: Correction) -> None:
        """Keep a meaning that an asker chose; the same one for the same question, compared folded, counts once."""
        await asyncio.to_thread(self._store.record_correction, correction)

    async def corrections(self) -> tuple[Correction, ...]:
        """Return the last corrections, newest first, whichever process recorded them; unchanged, they are kept."""
        return await asyncio.to_thread(self._read_corrections)

    def _read_corrections(self) -> tuple[Correction, ...]:
        version = self._store.corrections_version()
        kept = self._corrections
        if kept[0] != version:
            # Read after its version, they are at least as new as it says, and are read again if newer.
            kept = self._corrections = (version, self._store.corrections(MAX_CORRECTIONS))
        return kept[1]
