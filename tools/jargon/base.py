"""The contract of the jargon dictionary as the bot reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from contracts.jargon import Context, Correction, Sense

# So many corrections are evidence at a time: old ones make room, and reading them stays cheap.
MAX_CORRECTIONS = 500

# What changed is known for so many versions back, and for so many changed spellings and names in all.
MAX_STEPS = 256
MAX_CHANGED = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyStep:
    """What differs from the vocabulary of the version ``since``: added, gone, or standing for other terms."""

    since: str
    spellings: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Every spelling of every published term. ``version`` changes whenever the dictionary does.

    ``terms`` maps each spelling as written (term or alias) to the terms it stands for, ``names`` each extended name to
    the terms that are short for it; neither is in an order. ``steps`` are the last changes that led here, oldest first.
    """

    version: str
    terms: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: tuple[VocabularyStep, ...] = ()

    def changed_since(self, version: str | None) -> VocabularyStep | None:
        """Return all that differs from the vocabulary of ``version``, or None where that is not known."""
        if version is None:
            return None
        if version == self.version:
            return VocabularyStep(since=version, spellings=frozenset(), names=frozenset())
        first = next((at for at, step in enumerate(self.steps) if step.since == version), None)
        if first is None:
            return None
        later = self.steps[first:]
        return VocabularyStep(
            since=version,
            spellings=frozenset().union(*(step.spellings for step in later)),
            names=frozenset().union(*(step.names for step in later)),
        )

    def updated(
        self, version: str, terms: Mapping[str, tuple[str, ...]], names: Mapping[str, tuple[str, ...]]
    ) -> "Vocabulary":
        """Return the vocabulary of ``version``: as this one, but for ``terms`` and ``names``, of which () are gone."""
        step = VocabularyStep(since=self.version, spellings=frozenset(terms), names=frozenset(names))
        steps = (*self.steps, step)[-MAX_STEPS:]
        while steps and sum(len(each.spellings) + len(each.names) for each in steps) > MAX_CHANGED:
            steps = steps[1:]
        return replace(
            self,
            version=version,
            terms=_overlaid(self.terms, terms),
            names=_overlaid(self.names, names),
            steps=steps,
        )


def _overlaid(
    kept: Mapping[str, tuple[str, ...]], changed: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    if not changed:
        return kept
    result = dict(kept)
    for text, terms in changed.items():
        if terms:
            result[text] = terms
        else:
            result.pop(text, None)
    return result


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

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        """Name at most ``limit`` spellings that are nearly like ``term``, nearest first, and not ``term`` itself.

        One that differs from another in letter case only is not named beside it.
        """
        ...

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody defined: the queue that the manager empties."""
        ...

    async def record_correction(self, correction: Correction) -> None:
        """Keep a meaning that an asker chose; the same one for the same question, compared folded, counts once.

        One of a meaning that is not in the dictionary counts for nothing.
        """
        ...

    async def corrections(self) -> tuple[Correction, ...]:
        """Return the last ``MAX_CORRECTIONS`` corrections, newest first; cheap enough to ask before every question."""
        ...
