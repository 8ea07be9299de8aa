"""Ranking metrics of one question; the score of a system is their mean over its questions."""

import math
from collections.abc import Collection, Mapping, Sequence

from contracts.errors import InvalidInput


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the share of ``relevant`` among the first ``k`` of ``ranked``, in [0, 1].

    Raises:
        InvalidInput: nothing is relevant, or ``k`` is below 1.
    """
    wanted = _wanted(relevant, k)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def ndcg_at(ranked: Sequence[str], relevant: Collection[str] | Mapping[str, float], k: int) -> float:
    """Return the discounted gain of the first ``k`` over that of the best order, in [0, 1].

    ``relevant`` maps ids to gains of 0 or more; in a plain collection each has gain 1. Gains are linear, as in
    trec_eval and in ranx's "ndcg" (not 2^gain - 1, "ndcg_burges"). An id that comes again gains nothing then.
    Source: Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; discount 1 / log2(rank + 1).

    Raises:
        InvalidInput: nothing is relevant, a gain is below 0 or no number, or ``k`` is below 1.
    """
    gains = dict(relevant) if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
    for name, gain in gains.items():
        if not (math.isfinite(gain) and gain >= 0):
            raise InvalidInput(f'the gain of "{name}" is {gain}: it must be 0 or more', field="relevant")
    _wanted([name for name, gain in gains.items() if gain > 0], k)
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    seen: set[str] = set()
    gained = []
    for name in ranked[:k]:
        gained.append(0.0 if name in seen else gains.get(name, 0.0))
        seen.add(name)
    return min(1.0, _discounted(gained) / best)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str], k: int | None = None) -> float:
    """Return 1 over the rank of the first relevant id among the first ``k`` (all where None), 0 where there is none.

    Raises:
        InvalidInput: nothing is relevant, or ``k`` is below 1.
    """
    wanted = _wanted(relevant, 1 if k is None else k)
    return next((1 / rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted), 0.0)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _wanted(relevant: Collection[str], k: int) -> frozenset[str]:
    if k < 1:
        raise InvalidInput(f"the first {k} places: k must be 1 or more", field="k")
    if not relevant:
        raise InvalidInput("nothing is relevant: leave out questions without a gold passage", field="relevant")
    return frozenset(relevant)
