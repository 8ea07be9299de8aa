"""The ways in which benchmarks make a score: a mean, a share, a statistic over all cases, pairs that were found."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.benchmark import Score
from evaluation.metrics.checking import Numbers, f1_of, share
from evaluation.statistics.intervals import Interval, bootstrap, bootstrap_mean, wilson


def mean_score(
    metric: str,
    values: Numbers,
    *,
    seed: int,
    system: str = "",
    subset: str = "",
    groups: Sequence[str] | None = None,
    higher_is_better: bool = True,
) -> Score:
    """Score the mean of ``values`` with its bootstrap interval, over whole ``groups`` where they are given.

    Raises:
        InvalidInput: no values, one is no number, or ``groups`` are not as many.
    """
    found = bootstrap_mean(values, seed=seed, groups=groups)
    return _score(metric, found, len(values), system, subset, higher_is_better)


def rate_score(
    metric: str, hits: Sequence[bool], *, system: str = "", subset: str = "", higher_is_better: bool = True
) -> Score:
    """Score the share of ``hits`` with Wilson's interval; for cases that hang together take ``mean_score`` by groups.

    Raises:
        InvalidInput: there are no hits to count.
    """
    found = wilson(sum(bool(hit) for hit in hits), len(hits))
    return _score(metric, found, len(hits), system, subset, higher_is_better)


def statistic_score(
    metric: str,
    statistic: Callable[[NDArray[np.intp]], float],
    count: int,
    *,
    seed: int,
    system: str = "",
    subset: str = "",
    resamples: int = 1_000,
    groups: Sequence[str] | None = None,
    higher_is_better: bool = True,
) -> Score:
    """Score ``statistic``, a function of the indexes of rows, over all ``count`` rows with its bootstrap interval.

    For what is no mean over cases: an F1, an AUROC, a correlation. With ``groups``, one a row, whole groups are drawn.

    Raises:
        InvalidInput: no rows, ``groups`` are not as many, or the statistic cannot be told from all of them.
    """
    found = bootstrap(statistic, count, seed=seed, resamples=resamples, groups=groups)
    return _score(metric, found, count, system, subset, higher_is_better)


def pair_scores(rows: Sequence[Mapping[str, Any]], *, seed: int, subset: str = "") -> list[Score]:
    """Score F1, precision and recall of found pairs over rows that count ``hits``, ``mined`` and ``expected``.

    Raises:
        InvalidInput: no rows.
    """
    counts = np.array([[row["hits"], row["mined"], row["expected"]] for row in rows], dtype=np.float64)

    def precision(drawn: NDArray[np.intp]) -> float:
        hits, mined, _ = counts[drawn].sum(axis=0).tolist()
        return share(hits, mined)

    def recall(drawn: NDArray[np.intp]) -> float:
        hits, _, expected = counts[drawn].sum(axis=0).tolist()
        return share(hits, expected)

    statistics: dict[str, Callable[[NDArray[np.intp]], float]] = {
        "F1": lambda drawn: f1_of(precision(drawn), recall(drawn)),
        "precision": precision,
        "recall": recall,
    }
    return [
        statistic_score(metric, statistic, len(counts), seed=seed, subset=subset)
        for metric, statistic in statistics.items()
    ]


def _score(metric: str, found: Interval, n: int, system: str, subset: str, higher_is_better: bool) -> Score:
    return Score(
        metric=metric,
        value=found.value,
        low=found.low,
        high=found.high,
        n=n,
        system=system,
        subset=subset,
        higher_is_better=higher_is_better,
    )
