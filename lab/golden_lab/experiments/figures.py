"""The metrics of each arm, and the paired differences between arms."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from golden_lab.intervals import Interval
from golden_lab.statistics import PairedDifference, holm

# With fewer cases, a bootstrap draws the same few again and again, and its interval is too narrow.
FEWEST_CASES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigure:
    """A metric of an arm under a condition over ``n`` cases.

    ``value`` is None if it cannot be computed; ``interval`` is None if there are too few cases.
    """

    arm: str
    condition: str
    metric: str
    value: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmDifference:
    """The arm ``first`` minus ``second``, in one metric under one condition, over the ``n`` cases that both have.

    ``difference`` is None if ``n`` is too small or it cannot be computed. ``adjusted_p`` is corrected (Holm) for all
    differences of the experiment in the same metric.
    """

    first: str
    second: str
    condition: str
    metric: str
    difference: PairedDifference | None
    n: int
    adjusted_p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The results of a scorer, in the same form for all scorers.

    ``measure`` returns each metric of an arm under a condition with the number of cases; ``compare`` returns the
    difference of two arms in each metric with the number of cases that both have. Both return all metrics.
    """

    measure: Callable[[str, str], Mapping[str, tuple[Interval | None, int]]]
    compare: Callable[[str, str, str], Mapping[str, tuple[PairedDifference | None, int]]]


def arm_figures(scores: Scores, arms: Sequence[str], conditions: Sequence[str]) -> tuple[ArmFigure, ...]:
    """Return every metric of each arm under each condition."""
    return tuple(
        ArmFigure(
            arm=arm,
            condition=condition,
            metric=metric,
            value=None if found is None else found.value,
            interval=found if n >= FEWEST_CASES else None,
            n=n,
        )
        for condition in conditions
        for arm in arms
        for metric, (found, n) in scores.measure(arm, condition).items()
    )


def arm_differences(
    scores: Scores, pairs: Sequence[tuple[str, str]], conditions: Sequence[str]
) -> tuple[ArmDifference, ...]:
    """Return the difference for each of ``pairs`` in each metric under each condition."""
    found = [
        ArmDifference(first=first, second=second, condition=condition, metric=metric, difference=difference, n=n)
        for first, second in pairs
        for condition in conditions
        for metric, (difference, n) in scores.compare(first, second, condition).items()
    ]
    return tuple(_corrected(found))


def _corrected(differences: Sequence[ArmDifference]) -> Iterator[ArmDifference]:
    adjusted: dict[int, float] = {}
    for metric in dict.fromkeys(each.metric for each in differences):
        p_values = {
            str(at): each.difference.p_value
            for at, each in enumerate(differences)
            if each.metric == metric and each.difference is not None
        }
        adjusted |= {int(at): value for at, value in holm(p_values).items()}
    for at, each in enumerate(differences):
        yield replace(each, adjusted_p=adjusted.get(at))
