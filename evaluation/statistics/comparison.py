"""Is one system better than another on the same questions: paired tests, corrected when there are many."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from contracts.errors import InvalidInput
from evaluation.metrics.checking import Floats, Numbers, finite, finite_pairs
from evaluation.statistics.intervals import draw_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The mean of first minus second over ``n`` questions, its 95 % interval, and a two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float
    n: int


def paired_bootstrap(first: Numbers, second: Numbers, *, seed: int, resamples: int = 10_000) -> PairedDifference:
    """Compare two systems on the same questions by drawing questions with replacement.

    The p-value is twice the share of resamples, one added, in which the difference is 0 or of the other sign.
    Source: Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation; the added one:
    Davison and Hinkley 1997, Bootstrap Methods and their Application, section 4.2.

    Raises:
        InvalidInput: no questions, not as many on both sides, or a value that is no number.
    """
    ours, theirs = finite_pairs("first", first, "second", second)
    differences = ours - theirs
    count = len(differences)
    drawn = np.concatenate([counts @ differences / count for counts in draw_counts(count, seed, resamples)])
    return from_resamples(float(differences.mean()), drawn, count)


def from_resamples(difference: float, drawn: Floats, count: int) -> PairedDifference:
    """Return a difference over ``count`` questions with the interval and the p-value of its resamples, ``drawn``.

    For differences that are no mean over questions, such as those of shares that are pooled over them.
    Source: as ``paired_bootstrap``.

    Raises:
        InvalidInput: there is no resample, or a number is none.
    """
    resamples = finite("drawn", drawn)
    # Sums of equal differences in another order may miss 0 by a rounding error.
    resamples = np.where(np.abs(resamples) < 1e-12, 0.0, resamples)
    tail = min(int((resamples <= 0).sum()), int((resamples >= 0).sum()))
    low, high = np.percentile(resamples, (2.5, 97.5))
    return PairedDifference(
        difference=difference,
        low=float(low),
        high=float(high),
        p_value=min(1.0, 2 * (tail + 1) / (len(resamples) + 1)),
        n=count,
    )


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided binomial p-value of so many wins and losses (ties left out); 1 where there are none.

    Raises:
        InvalidInput: a count is below 0.
    """
    from scipy.stats import binomtest

    if wins < 0 or losses < 0:
        raise InvalidInput(f"{wins} wins and {losses} losses: a count cannot be below 0", field="wins")
    return float(binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0


def wilcoxon(first: Numbers, second: Numbers) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; equal pairs are left out, 1 where all are equal.

    Source: Wilcoxon 1945, Individual comparisons by ranking methods; computed by SciPy.

    Raises:
        InvalidInput: no pairs, not as many on both sides, or a value that is no number.
    """
    from scipy import stats

    ours, theirs = finite_pairs("first", first, "second", second)
    if np.array_equal(ours, theirs):
        return 1.0
    return float(stats.wilcoxon(ours, theirs, zero_method="wilcox", alternative="two-sided").pvalue)


def holm(p_values: Mapping[str, float]) -> Mapping[str, float]:
    """Adjust ``p_values`` for their number by Holm's step-down rule: hold them against the same level as one alone.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure.

    Raises:
        InvalidInput: a value is not in [0, 1].
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    for at, (name, value) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        if not 0 <= value <= 1:
            raise InvalidInput(f'the p-value of "{name}" is {value}: it must lie in [0, 1]', field=name)
        highest = max(highest, min(1.0, (len(p_values) - at) * value))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}
