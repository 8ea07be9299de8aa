"""The jargon dictionary that lives in SQL."""

import asyncio
from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Correction, Sense
from jargon_db.store import JargonStore
from jargon_db.vocabulary import TrailMark
from tools.jargon.base import MAX_CORRECTIONS, Vocabulary
from tools.jargon.spelling import KeptSpellings


class SqlJargonDictionary:
    """Reads the dictionary from ``store``, in threads, so that a slow database holds nothing else up."""

    def __init__(self, store: JargonStore) -> None:
        self._store = store
        self._vocabulary: Vocabulary | None = None
        self._mark: TrailMark | None = None
        self._refreshing = asyncio.Lock()
        self._near = KeptSpellings()
        self._corrections: tuple[str, tuple[Correction, ...]] = ("", ())

    async def version(self) -> str:
        """Return the dictionary's version, whichever process changed it."""
        return await asyncio.to_thread(self._store.version)

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling; the result for an unchanged version is kept, and only what changed is read anew."""
        kept = self._vocabulary
        if kept is not None and kept.version == await self.version():
            return kept
        # Read once, however many ask: a large dictionary is there twice otherwise.
        async with self._refreshing:
            kept = self._vocabulary
            if kept is None or kept.version != await self.version():
                # Both at once, and here: the thread goes on when its asker goes away, and a mark that it had moved
                # would let the next update begin behind changes that no vocabulary holds.
                now, mark = await asyncio.to_thread(self._read, kept, self._mark)
                self._vocabulary, self._mark = now, mark
                return now
            return kept

    def _read(self, kept: Vocabulary | None, mark: TrailMark | None) -> tuple[Vocabulary, TrailMark]:
        """Return the vocabulary as it is now, and its mark: ``kept`` with what changed since ``mark``, or all of it."""
        if kept is not None and mark is not None:
            update = self._store.vocabulary_update(mark, kept.names)
            if update is not None:
                return kept.updated(update.version, update.terms, update.names), update.mark
        whole = self._store.vocabulary()
        return Vocabulary(version=whole.version, terms=whole.terms, names=whole.names), whole.mark

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
