"""The contract of the jargon dictionary as the bot reads it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from contracts.jargon import Context, Correction, Sense, Vocabulary

# Only this many corrections count as evidence, the newest, so that reading them stays cheap.
MAX_CORRECTIONS = 500


class JargonDictionary(Protocol):
    """Reads the dictionary; what was published a moment ago is there."""

    async def version(self) -> str:
        """Return the dictionary's version; cheap enough to ask before every question."""

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling; the result for an unchanged version is kept."""

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case: one entry for each of ``terms``."""

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses that were mined from the documents: one entry for each of ``terms``."""

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Name at most ``limit`` spellings that are nearly like ``term``, nearest first, and not ``term`` itself.

        One that differs from another in letter case only is not named beside it.
        """

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody defined: the queue that the manager empties."""

    async def record_correction(self, correction: Correction) -> None:
        """Keep a meaning that an asker chose; the same one for the same question, compared folded, counts once.

        One of a meaning that is not in the dictionary counts for nothing.
        """

    async def corrections(self) -> tuple[Correction, ...]:
        """Return the last ``MAX_CORRECTIONS`` corrections, newest first; cheap enough to ask before every question."""


class _ReadOnly:
    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dictionary, name)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count nothing."""

    async def record_correction(self, correction: Correction) -> None:
        """Keep nothing."""


def read_only(dictionary: JargonDictionary) -> JargonDictionary:
    """Return ``dictionary`` without its learning: unknown terms are not counted, and corrections are not kept.

    For questions that nobody asked for themselves, as in a measurement.
    """
    return cast(JargonDictionary, _ReadOnly(dictionary))
