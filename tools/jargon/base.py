"""The contract of the jargon dictionary as the bot reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.jargon import Context, Sense


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Every spelling of every published term. ``version`` changes whenever the dictionary does.

    ``terms`` maps each spelling as written (term or alias) to the terms it stands for.
    """

    version: str
    terms: Mapping[str, tuple[str, ...]]


class JargonDictionary(Protocol):
    """Reads the dictionary; what was published a moment ago is there."""

    async def version(self) -> str:
        """Return the dictionary's version; cheap enough to ask before every question."""
        ...

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling; the result for an unchanged version is kept."""
        ...

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case: one entry for each of ``terms``."""
        ...

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses that were mined from the documents: one entry for each of ``terms``."""
        ...

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""
        ...

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody defined: the queue that the manager empties."""
        ...
