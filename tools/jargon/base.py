"""The contract of the jargon dictionary for the bot."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from contracts.jargon import Context, Correction, Sense, Vocabulary

# Only the newest corrections, up to this number, are used as evidence, so that reading them remains fast.
MAX_CORRECTIONS = 500


class JargonDictionary(Protocol):
    """Reads the dictionary, including the newest changes."""

    async def version(self) -> str:
        """Return the version of the dictionary; fast enough to call before every question."""

    async def vocabulary(self) -> Vocabulary:
        """Return all spellings; the result is cached until the version changes."""

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case; return one entry for each of ``terms``."""

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses that were mined from the documents; return one entry for each of ``terms``."""

    async def contexts(self) -> tuple[Context, ...]:
        """Return all contexts, sorted by name."""

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Return at most ``limit`` spellings similar to ``term``, most similar first, without ``term`` itself.

        Spellings that differ only in letter case are returned only once.
        """

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about an undefined term, in the manager's queue."""

    async def record_correction(self, correction: Correction) -> None:
        """Store a meaning that an asker chose. The same meaning for the same folded question counts once.

        A meaning that is not in the dictionary is ignored.
        """

    async def corrections(self) -> tuple[Correction, ...]:
        """Return the last ``MAX_CORRECTIONS`` corrections, newest first; fast enough to call before every question."""


class _ReadOnly:
    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dictionary, name)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Do not count the term."""

    async def record_correction(self, correction: Correction) -> None:
        """Do not store the correction."""


def read_only(dictionary: JargonDictionary) -> JargonDictionary:
    """Return ``dictionary`` without learning: it does not count unknown terms or store corrections.

    This is for questions that no user asked, for example in a measurement.
    """
    return cast(JargonDictionary, _ReadOnly(dictionary))
