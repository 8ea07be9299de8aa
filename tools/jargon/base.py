"""The contract of the jargon dictionary as the bot reads it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from contracts.jargon import Context, Correction, Sense, Vocabulary

# At most this many corrections, the newest, are used as evidence, so that reading them stays cheap.
MAX_CORRECTIONS = 500


class JargonDictionary(Protocol):
    """Reads the dictionary, including what was published a moment ago."""

    async def version(self) -> str:
        """Return the dictionary's version; cheap enough to ask before every question."""

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling; the result is cached until the version changes."""

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case: one entry for each of ``terms``."""

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses that were mined from the documents: one entry for each of ``terms``."""

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Return at most ``limit`` spellings similar to ``term``, nearest first, without ``term`` itself.

        Spellings that differ only in letter case are returned once.
        """

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about an undefined term, in the queue for the manager."""

    async def record_correction(self, correction: Correction) -> None:
        """Store a meaning that an asker chose; the same one for the same question, compared folded, counts once.

        A meaning that is not in the dictionary is ignored.
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
    """Return ``dictionary`` without learning: unknown terms are not counted, and corrections are not stored.

    For questions that no user asked, as in a measurement.
    """
    return cast(JargonDictionary, _ReadOnly(dictionary))
