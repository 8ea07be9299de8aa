"""A dictionary that is a list of spellings and names, and can grow."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Vocabulary
from tests.databases import memory_store
from tools.jargon.sql import SqlJargonDictionary


class ListedDictionary(SqlJargonDictionary):
    """Published spellings, each its own term unless it is an alias, and extended names."""

    def __init__(
        self,
        spellings: Sequence[str],
        aliases: Mapping[str, tuple[str, ...]] | None = None,
        names: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(memory_store([]))
        self.terms: dict[str, tuple[str, ...]] = {spelling: (spelling,) for spelling in spellings} | dict(aliases or {})
        self.names = dict(names or {})

    async def version(self) -> str:
        return f"{self.terms} {self.names}"

    async def vocabulary(self) -> Vocabulary:
        return Vocabulary(version=await self.version(), terms=dict(self.terms), names=dict(self.names))
