"""Several completions of one judgement become one grade."""

import statistics
from collections.abc import Sequence
from typing import Literal

Aggregation = Literal["mean", "median"]


def aggregate(grades: Sequence[float], how: Aggregation = "mean") -> float:
    """Return the mean or the median of grades of the same thing.

    Source: the mean was the most consistent of the strategies that Saxena and Owyang 2025 tried (appendix D, v2).

    Raises:
        ValueError: there are no grades.
    """
    if not grades:
        raise ValueError("no grades to aggregate")
    return float(statistics.fmean(grades) if how == "mean" else statistics.median(grades))
