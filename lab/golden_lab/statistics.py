"""Agreement of two raters on the same cases, and tests of paired differences, computed with SciPy."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.intervals import Floats, Numbers, draw_counts, finite_pairs


def spearman(first: Numbers, second: Numbers) -> float:
    """Return Spearman's rank correlation in [-1, 1], with ties at their mean rank.

    Raises:
        InvalidInput: fewer than two pairs, unequal lengths, a value that is not a number, or equal values on one side.
    """
    from scipy.stats import spearmanr

    ours, theirs = _varied(first, second)
    return float(spearmanr(ours, theirs).statistic)


def kendall(first: Numbers, second: Numbers) -> float:
    """Return Kendall's tau-b in [-1, 1], which takes ties into account.

    Raises:
        InvalidInput: as in ``spearman``.
    """
    from scipy.stats import kendalltau

    ours, theirs = _varied(first, second)
    return float(kendalltau(ours, theirs, variant="b").statistic)


def pearson(first: Numbers, second: Numbers) -> float:
    """Return Pearson's correlation in [-1, 1].

    Raises:
        InvalidInput: as in ``spearman``.
    """
    ours, theirs = _varied(first, second)
    ours, theirs = ours - ours.mean(), theirs - theirs.mean()
    return float(np.clip(ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs)), -1, 1))


def accuracy_within(first: Numbers, second: Numbers, tolerance: float = 0) -> float:
    """Return the share of cases on which the raters differ by at most ``tolerance``, in [0, 1].

    Raises:
        InvalidInput: no pairs, unequal lengths, a value that is not a number, or ``tolerance`` is below 0.
    """
    if not tolerance >= 0:
        raise InvalidInput(f"a tolerance of {tolerance} is not possible: it must be 0 or more", field="tolerance")
    ours, theirs = finite_pairs("first", first, "second", second)
    # Grades such as 0.3 and 0.1 are 0.2 apart, but their floating-point difference is not exactly 0.2.
    return float((np.abs(ours - theirs) <= tolerance + 1e-9).mean())


def _varied(first: Numbers, second: Numbers) -> tuple[Floats, Floats]:
    ours, theirs = finite_pairs("first", first, "second", second)
    for name, values in (("first", ours), ("second", theirs)):
        if np.all(values == values[0]):
            raise InvalidInput(
                f"{name}: all {len(values)} values are {values[0]:g}; a correlation cannot be computed", field=name
            )
    return ours, theirs


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided binomial p-value for the numbers of wins and losses, without ties; 1 if both are 0.

    Raises:
        InvalidInput: a count is below 0.
    """
    from scipy.stats import binomtest

    if wins < 0 or losses < 0:
        raise InvalidInput(f"{wins} wins and {losses} losses: a count cannot be below 0", field="wins")
    return float(binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0


def holm(p_values: Mapping[str, float]) -> Mapping[str, float]:
    """Adjust ``p_values`` for their number with Holm's method, for comparison with the level of a single test.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure.

    Raises:
        InvalidInput: a value is not in [0, 1].
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    for at, (name, value) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        if not 0 <= value <= 1:
            raise InvalidInput(f'the p-value of "{name}" is {value}: it must be in [0, 1]', field=name)
        highest = max(highest, min(1.0, (len(p_values) - at) * value))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The mean of first minus second for ``n`` questions, its 95% interval, and a two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float
    n: int


def paired_bootstrap(first: Numbers, second: Numbers, *, seed: int, resamples: int = 10_000) -> PairedDifference:
    """Compare two systems on the same questions by drawing questions with replacement.

    The p-value is twice the share of resamples (plus one) whose difference is 0 or has the opposite sign.
    Source: Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation; for the added one:
    Davison and Hinkley 1997, Bootstrap Methods and their Application, section 4.2.

    Raises:
        InvalidInput: as in ``finite_pairs``.
    """
    ours, theirs = finite_pairs("first", first, "second", second)
    differences = ours - theirs
    count = len(differences)
    drawn = np.concatenate([counts @ differences / count for counts in draw_counts(count, seed, resamples)])
    return from_resamples(float(differences.mean()), drawn, count)


def from_resamples(difference: float, drawn: Floats, count: int) -> PairedDifference:
    """Return a difference for ``count`` questions, with the interval and the p-value from its resamples ``drawn``.

    For differences that are not means of questions, such as differences between pooled shares.
    Source: as in ``paired_bootstrap``.
    """
    # Sums of the same differences in a different order may miss 0 by a rounding error.
    resamples = np.where(np.abs(drawn) < 1e-12, 0.0, drawn)
    tail = min(int((resamples <= 0).sum()), int((resamples >= 0).sum()))
    low, high = np.percentile(resamples, (2.5, 97.5))
    return PairedDifference(
        difference=difference,
        low=float(low),
        high=float(high),
        p_value=min(1.0, 2 * (tail + 1) / (len(resamples) + 1)),
        n=count,
    )
