"""Corrected questions as evidence: the context of a meaning that askers chose speaks for questions like theirs."""

from collections.abc import Sequence

import numpy as np

from contracts.jargon import Correction
from tools.embedding.base import Embedder, Matrix
from tools.language import fold

_MOST = 200
# Below this cosine two questions of one house have little more in common than the house.
_LEAST_LIKENESS = 0.4
# So many votes against every context keep one click from deciding: alone it gets a sixth, three that agree get .38.
_NOBODYS_VOTES = 5.0


class CorrectedQuestions:
    """The newest corrections that name a context and have their question, at most 200, with their vectors."""

    def __init__(self, contexts: Sequence[str], vectors: Matrix) -> None:
        self._contexts = [fold(name) for name in contexts]
        self._vectors = vectors

    @classmethod
    async def read(cls, corrections: Sequence[Correction], embedder: Embedder) -> "CorrectedQuestions":
        """Embed the questions of ``corrections``, which come newest first."""
        telling = [each for each in corrections if each.context and each.question][:_MOST]
        if not telling:
            return cls((), np.zeros((0, 1), dtype=np.float32))
        vectors = await embedder.embed_queries([each.question for each in telling])
        return cls([each.context for each in telling], vectors)

    def shares(self, names: Sequence[str], vector: Matrix) -> dict[str, float]:
        """Return for each context its share of the votes of questions like the one at ``vector``, in [0, 1).

        A vote counts as much as its question is like this one: 1 for the same, 0 from a cosine of 0.4 down. Clicks for
        different contexts take from each other's share.
        """
        votes = {fold(name): 0.0 for name in names}
        if self._contexts:
            for context, cosine in zip(self._contexts, self._vectors @ vector, strict=True):
                if context in votes:
                    votes[context] += max(0.0, (float(cosine) - _LEAST_LIKENESS) / (1.0 - _LEAST_LIKENESS))
        total = sum(votes.values()) + _NOBODYS_VOTES
        return {name: votes[fold(name)] / total for name in names}
