"""The contract of query expansion."""

from typing import Protocol

from contracts.question import AugmentedQuestion
from contracts.verdicts import QueryVariants


class QueryExpander(Protocol):
    """Rephrases a question for a second search."""

    async def expand(self, question: AugmentedQuestion) -> QueryVariants:
        """Return different wordings of ``question`` for a second search."""
