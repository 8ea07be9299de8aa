"""95% intervals: the bootstrap for means and any other statistic."""

import math
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Sequence[bool] | Floats | NDArray[np.bool_]
# The number of resamples drawn at once, so that the counts of ten thousand cases take less than 10 MB.
_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with its 95% interval, in the value's unit. With a single case, ``low`` and ``high`` equal the value."""

    value: float
    low: float
    high: float


def bootstrap_mean(
    values: Numbers, *, seed: int, resamples: int = 1_000, groups: Sequence[str] | None = None
) -> Interval:
    """Return the mean of ``values`` with its percentile bootstrap interval.

    With ``groups`` (one per value), whole groups are drawn, not values: questions of one conversation are not
    independent. Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3; whole clusters:
    Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8.

    Raises:
        InvalidInput: there are no values, one is not finite, or ``groups`` has a different length.
    """
    row = finite("values", values)
    sums, sizes = row, np.ones(len(row), dtype=np.float64)
    if groups is not None:
        same_length("values", row, "groups", groups)
        names, member = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
        sums, sizes = (np.bincount(member, each, len(names)).astype(np.float64) for each in (row, sizes))
    means = np.concatenate([counts @ sums / (counts @ sizes) for counts in draw_counts(len(sums), seed, resamples)])
    return _percentiles(float(row.mean()), means)


def draw_counts(count: int, seed: int, resamples: int) -> Iterator[Floats]:
    """Draw ``count`` of ``count`` rows with replacement, ``resamples`` times; count how often each was drawn.

    Yields arrays of shape (up to 100, count).
    """
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, _BATCH):
        size = min(_BATCH, resamples - start)
        yield generator.multinomial(count, np.full(count, 1 / count), size=size).astype(np.float64)


def bootstrap(
    statistic: Callable[[NDArray[np.intp]], float],
    count: int,
    *,
    seed: int,
    resamples: int = 1_000,
    groups: Sequence[str] | None = None,
) -> Interval:
    """Return ``statistic`` of all ``count`` rows with its percentile bootstrap interval.

    ``statistic`` is given the indexes of the drawn rows, in [0, ``count``), with repeats. Resamples for which it is
    undefined (NaN or InvalidInput, for example if a class was not drawn) are left out. With ``groups`` (one per row),
    whole groups are drawn. Source: as in ``bootstrap_mean``.

    Raises:
        InvalidInput: there are no rows, ``groups`` has a different length, or the statistic is undefined for all rows
            or for more than half of the resamples.
    """
    if count < 1:
        raise InvalidInput("a bootstrap needs at least one row", field="count")
    value = float(statistic(np.arange(count)))
    if not math.isfinite(value):
        raise InvalidInput(f"the statistic of all {count} rows is {value}, not a finite number", field="statistic")
    drawn = []
    for rows in _draw_rows(count, seed, resamples, groups):
        with suppress(InvalidInput):
            drawn.append(float(statistic(rows)))
    told = np.array([each for each in drawn if math.isfinite(each)])
    if 2 * len(told) < resamples:
        raise InvalidInput(
            f"the statistic is defined in only {len(told)} of {resamples} resamples of {count} rows: measure more rows",
            field="statistic",
        )
    return _percentiles(value, told)


def _draw_rows(count: int, seed: int, resamples: int, groups: Sequence[str] | None) -> Iterator[NDArray[np.intp]]:
    generator = np.random.default_rng(seed)
    if groups is None:
        for _ in range(resamples):
            yield generator.integers(0, count, count)
        return
    same_length("rows", range(count), "groups", groups)
    _, member, sizes = np.unique(np.asarray(groups, dtype=str), return_inverse=True, return_counts=True)
    rows_of = np.split(np.argsort(member, kind="stable"), np.cumsum(sizes)[:-1])
    for _ in range(resamples):
        yield np.concatenate([rows_of[at] for at in generator.integers(0, len(rows_of), len(rows_of))])


def _percentiles(value: float, drawn: Floats) -> Interval:
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Interval(value=value, low=float(low), high=float(high))


def finite(name: str, values: Numbers) -> Floats:
    """Return ``values`` as an array, shape (n,).

    Raises:
        InvalidInput: ``values`` is empty, not finite or not one-dimensional; the message calls it ``name``.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise InvalidInput(f"{name}: a non-empty row of finite numbers is needed", field=name)
    return array


def same_length(first_name: str, first: Sized, second_name: str, second: Sized) -> None:
    """Check that two rows have the same length.

    Raises:
        InvalidInput: they are empty or not of the same length.
    """
    if len(first) != len(second) or not len(first):
        raise InvalidInput(
            f"{first_name} and {second_name} have {len(first)} and {len(second)} values, but they must form pairs",
            field=second_name,
        )


def finite_pairs(first_name: str, first: Numbers, second_name: str, second: Numbers) -> tuple[Floats, Floats]:
    """Return both rows as arrays of the same shape (n,).

    Raises:
        InvalidInput: they are empty, not of the same length, or not finite.
    """
    same_length(first_name, first, second_name, second)
    return finite(first_name, first), finite(second_name, second)


def f1_of(precision: float, recall: float) -> float:
    """Return the harmonic mean of ``precision`` and ``recall``; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def share(part: float, whole: float) -> float:
    """Return ``part / whole``; 0 if ``whole`` is 0."""
    return part / whole if whole else 0.0
