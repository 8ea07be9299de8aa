"""How far two raters agree on the same cases: a judge and people, or two judges."""

import numpy as np

from contracts.errors import InvalidInput
from evaluation.metrics.checking import Floats, Numbers, finite_pairs


def spearman(first: Numbers, second: Numbers) -> float:
    """Return Spearman's rank correlation in [-1, 1], ties at their mean rank.

    Raises:
        InvalidInput: fewer than two pairs, not as many on both sides, no number, or one side is all the same value.
    """
    from scipy.stats import spearmanr

    ours, theirs = _varied(first, second)
    return float(spearmanr(ours, theirs).statistic)


def kendall(first: Numbers, second: Numbers) -> float:
    """Return Kendall's tau-b in [-1, 1], which takes ties into account.

    Raises:
        InvalidInput: fewer than two pairs, not as many on both sides, no number, or one side is all the same value.
    """
    from scipy.stats import kendalltau

    ours, theirs = _varied(first, second)
    return float(kendalltau(ours, theirs, variant="b").statistic)


def pearson(first: Numbers, second: Numbers) -> float:
    """Return Pearson's correlation in [-1, 1].

    Raises:
        InvalidInput: fewer than two pairs, not as many on both sides, no number, or one side is all the same value.
    """
    ours, theirs = _varied(first, second)
    ours, theirs = ours - ours.mean(), theirs - theirs.mean()
    return float(np.clip(ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs)), -1, 1))


def accuracy_within(first: Numbers, second: Numbers, tolerance: float = 0) -> float:
    """Return the share of cases on which the two differ by at most ``tolerance``, in [0, 1].

    Raises:
        InvalidInput: no pairs, not as many on both sides, no number, or ``tolerance`` is below 0.
    """
    if not tolerance >= 0:
        raise InvalidInput(f"a tolerance of {tolerance} cannot be: it must be 0 or more", field="tolerance")
    ours, theirs = finite_pairs("first", first, "second", second)
    # Grades such as 0.3 and 0.1 are 0.2 apart, though their binary difference is not.
    return float((np.abs(ours - theirs) <= tolerance + 1e-9).mean())


def _varied(first: Numbers, second: Numbers) -> tuple[Floats, Floats]:
    ours, theirs = finite_pairs("first", first, "second", second)
    for name, values in (("first", ours), ("second", theirs)):
        if np.all(values == values[0]):
            raise InvalidInput(
                f"{name}: all {len(values)} values are {values[0]:g}, a correlation cannot be told", field=name
            )
    return ours, theirs
