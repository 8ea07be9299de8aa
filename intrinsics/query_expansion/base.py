"""The contract of query expansion."""

from collections.abc import Sequence
from typing import Protocol

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import QueryVariants


class QueryExpander(Protocol):
    """Words a question in other ways for a second search."""

    async def expand(self, question: AugmentedQuestion, seen: Sequence[Passage]) -> QueryVariants:
        """Word ``question`` in other ways for a second search, given the passages ``seen`` that did not answer it."""
