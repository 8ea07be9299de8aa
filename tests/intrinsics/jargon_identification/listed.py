"""A dictionary that is a list of spellings and names, and can grow."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Vocabulary
from tools.jargon.memory import InMemoryJargonDictionary


class ListedDictionary(InMemoryJargonDictionary):
    """Published spellings, each its own term unless it is an alias, and extended names."""

    def __init__(
        self,
        spellings: Sequence[str],
        aliases: Mapping[str, tuple[str, ...]] | None = None,
        names: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__([])
        self.terms: dict[str, tuple[str, ...]] = {spelling: (spelling,) for spelling in spellings} | dict(aliases or {})
        self.names = dict(names or {})
        self.changes = 0

    def withdraw(self, term: str) -> None:
        del self.terms[term]
        self.changes += 1

    def publish(self, term: str, name: str = "") -> None:
        self.terms[term] = (term,)
        if name:
            self.names[name] = (term,)
        self.changes += 1

    async def version(self) -> str:
        return str(self.changes)

    async def vocabulary(self) -> Vocabulary:
        return Vocabulary(version=str(self.changes), terms=dict(self.terms), names=dict(self.names))


class CountingDocuments:
    """Documents that use some words, and count how often they are asked."""

    def __init__(self, *words: str) -> None:
        self._words = frozenset(words)
        self.asked: list[str] = []

    async def __call__(self, word: str) -> bool:
        self.asked.append(word)
        return word in self._words
