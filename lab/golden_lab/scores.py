"""Scores with intervals: a mean, a share, or a statistic over all cases."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from evaluation.case_report import wilson
from golden_lab.intervals import Numbers, bootstrap, bootstrap_mean
from golden_lab.results import Score


class Row(TypedDict, total=False):
    """The rest of a score's key, and whether higher is better."""

    system: str
    subset: str
    higher_is_better: bool


def mean_score(
    metric: str, values: Numbers, *, seed: int, groups: Sequence[str] | None = None, **row: Unpack[Row]
) -> Score:
    """Score the mean of ``values`` with its bootstrap interval; with ``groups``, whole groups are drawn.

    Raises:
        InvalidInput: like ``bootstrap_mean``.
    """
    found = bootstrap_mean(values, seed=seed, groups=groups)
    return Score(metric=metric, n=len(values), **asdict(found), **row)


def rate_score(metric: str, hits: Sequence[bool], **row: Unpack[Row]) -> Score:
    """Score the share of ``hits`` with Wilson's interval; for dependent cases use ``mean_score`` with groups.

    Raises:
        InvalidInput: there are no hits to count.
    """
    count = sum(bool(hit) for hit in hits)
    low, high = wilson(count, len(hits))
    return Score(metric=metric, n=len(hits), value=count / len(hits), low=low, high=high, **row)


def statistic_score(
    metric: str,
    statistic: Callable[[NDArray[np.intp]], float],
    count: int,
    *,
    seed: int,
    groups: Sequence[str] | None = None,
    **row: Unpack[Row],
) -> Score:
    """Score ``statistic``, a function of row indexes, for all ``count`` rows, with its bootstrap interval.

    For statistics that are not means over cases: F1, AUROC, correlations. With ``groups``, one per row, whole groups
    are drawn.

    Raises:
        InvalidInput: like ``bootstrap``.
    """
    found = bootstrap(statistic, count, seed=seed, groups=groups)
    return Score(metric=metric, n=count, **asdict(found), **row)
