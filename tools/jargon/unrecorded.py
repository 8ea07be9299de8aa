"""A dictionary that is read and learns nothing: for questions that nobody asked for themselves, as in a measurement."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Correction, Sense, Vocabulary
from tools.jargon.base import JargonDictionary


class UnrecordedDictionary:
    """Reads ``dictionary``; unknown terms are not counted, and corrections are not kept."""

    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary

    async def version(self) -> str:
        """Return the dictionary's version."""
        return await self._dictionary.version()

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling."""
        return await self._dictionary.vocabulary()

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias."""
        return await self._dictionary.senses(terms)

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses."""
        return await self._dictionary.drafts(terms)

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""
        return await self._dictionary.contexts()

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Name at most ``limit`` spellings that are nearly like ``term``."""
        return await self._dictionary.near_spellings(term, limit)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count nothing."""

    async def record_correction(self, correction: Correction) -> None:
        """Keep nothing."""

    async def corrections(self) -> tuple[Correction, ...]:
        """Return the last corrections."""
        return await self._dictionary.corrections()
