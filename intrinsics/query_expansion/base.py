"""The contract of query expansion."""

from typing import Protocol

from contracts.question import AugmentedQuestion
from contracts.verdicts import QueryVariants


class QueryExpander(Protocol):
    """Words a question in different ways for a second search."""

    async def expand(self, question: AugmentedQuestion) -> QueryVariants:
        """Word ``question`` in different ways for a second search."""
