"""A jargon dictionary in memory: for a fixed list of terms, and for tests."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Sense
from jargon_db.folding import closest_first, fold
from tools.jargon.base import Vocabulary


class InMemoryJargonDictionary:
    """Reads a dictionary that was given whole and does not change. ``unknown`` counts what was asked in vain."""

    def __init__(self, senses: Sequence[Sense], contexts: Sequence[Context] = ()) -> None:
        self._contexts = tuple(sorted(contexts, key=lambda context: fold(context.name)))
        self._by_key: dict[str, list[Sense]] = {}
        self._drafts: dict[str, list[Sense]] = {}
        spellings: dict[str, set[str]] = {}
        for sense in senses:
            if sense.state == "draft":
                self._drafts.setdefault(fold(sense.term), []).append(sense)
            if sense.state != "published":
                continue
            for spelling in (sense.term, *sense.aliases):
                spellings.setdefault(spelling, set()).add(sense.term)
            for key in {fold(spelling) for spelling in (sense.term, *sense.aliases)}:
                self._by_key.setdefault(key, []).append(sense)
        terms = {spelling: tuple(sorted(spellings[spelling])) for spelling in sorted(spellings)}
        self._vocabulary = Vocabulary(version="fixed", terms=terms)
        self.unknown: dict[str, int] = {}

    async def version(self) -> str:
        """Return the version, which is always the same."""
        return self._vocabulary.version

    async def vocabulary(self) -> Vocabulary:
        """Return every spelling."""
        return self._vocabulary

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up published senses by term or alias, in any letter case: one entry for each of ``terms``."""
        return {term: tuple(closest_first(term, self._by_key.get(fold(term), ()))) for term in terms}

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        """Look up unpublished senses, in any letter case: one entry for each of ``terms``."""
        return {term: tuple(closest_first(term, self._drafts.get(fold(term), ()))) for term in terms}

    async def contexts(self) -> tuple[Context, ...]:
        """Return every context, by name."""
        return self._contexts

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about a term that nobody defined."""
        self.unknown[fold(term)] = self.unknown.get(fold(term), 0) + 1
