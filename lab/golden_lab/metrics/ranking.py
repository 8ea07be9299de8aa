"""Ranking metrics for one question; the score of a system is their mean over all questions.

Each metric is in [0, 1] and raises InvalidInput if nothing is relevant. A repeated id counts only once.
"""

import math
from collections.abc import Collection, Sequence

from contracts.errors import InvalidInput


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the share of ``relevant`` among the first ``k`` of ``ranked``."""
    wanted = _wanted(relevant)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the discounted gain of the first ``k``, divided by that of the best order; each relevant id has gain 1.

    Source: Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; discount 1 / log2(rank + 1).
    """
    wanted = _wanted(relevant)
    seen: set[str] = set()
    gained = []
    for name in ranked[:k]:
        gained.append(float(name in wanted and name not in seen))
        seen.add(name)
    return min(1.0, _discounted(gained) / _discounted([1.0] * min(k, len(wanted))))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str], k: int | None = None) -> float:
    """Return 1 / rank of the first relevant id among the first ``k`` (all if None), or 0 if there is none."""
    wanted = _wanted(relevant)
    return next((1 / rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted), 0.0)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _wanted(relevant: Collection[str]) -> frozenset[str]:
    if not relevant:
        raise InvalidInput("nothing is relevant: leave out questions without a gold passage", field="relevant")
    return frozenset(relevant)
