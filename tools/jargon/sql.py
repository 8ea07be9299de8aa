"""The jargon dictionary in an SQL database."""

import asyncio
from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Correction, Sense, Vocabulary
from jargon_db.store import JargonStore
from tools.jargon.base import MAX_CORRECTIONS
from tools.jargon.spelling import nearest_spellings


class SqlJargonDictionary:
    """Reads the dictionary from ``store`` in threads, so that a slow database does not block other work."""

    def __init__(self, store: JargonStore) -> None:
        self._store = store
        self._vocabulary: Vocabulary | None = None
        self._refreshing = asyncio.Lock()
        self._corrections: tuple[str, tuple[Correction, ...]] = ("", ())

    async def version(self) -> str:
        return await asyncio.to_thread(self._store.version)

    async def vocabulary(self) -> Vocabulary:
        # Allow one caller at a time, because otherwise a large dictionary would be in memory twice.
        async with self._refreshing:
            if self._vocabulary is None or self._vocabulary.version != await self.version():
                self._vocabulary = await asyncio.to_thread(self._store.vocabulary)
            return self._vocabulary

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        return await asyncio.to_thread(self._store.look_up, terms, state="published") if terms else {}

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        return await asyncio.to_thread(self._store.look_up, terms, state="draft") if terms else {}

    async def contexts(self) -> tuple[Context, ...]:
        return await asyncio.to_thread(self._store.contexts)

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        terms = (await self.vocabulary()).terms
        return await asyncio.to_thread(nearest_spellings, term, terms, limit)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        await asyncio.to_thread(self._store.record_unknown, term, question, context)

    async def record_correction(self, correction: Correction) -> None:
        await asyncio.to_thread(self._store.record_correction, correction)

    async def corrections(self) -> tuple[Correction, ...]:
        return await asyncio.to_thread(self._read_corrections)

    def _read_corrections(self) -> tuple[Correction, ...]:
        version = self._store.corrections_version()
        kept = self._corrections
        if kept[0] != version:
            # Corrections are read after the version: if they are newer than it, they are read again next time.
            kept = self._corrections = (version, self._store.corrections(MAX_CORRECTIONS))
        return kept[1]
