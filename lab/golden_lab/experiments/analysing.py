"""What an experiment came to: figures of each arm, differences between arms, and what they say of the hypotheses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.intervals import Interval, PairedDifference
from golden_lab.experiments.form import Experiment, Hypothesis
from golden_lab.statistics import holm

# With fewer cases a bootstrap draws the same few again and again: its interval is too narrow to be shown.
FEWEST_CASES = 10
# Below so many the percentile bootstrap still covers less than it says.
# Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 14.
MANY_CASES = 30
# What a corrected p-value must be below.
LEVEL = 0.05

Verdict = Literal["supported", "contradicted", "not shown", "too few cases", "cannot be told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigure:
    """A metric of an arm under a condition over ``n`` cases; ``interval`` is None where they are too few for one.

    ``value`` is None where there is nothing to tell it from.
    """

    arm: str
    condition: str
    metric: str
    value: float | None
    interval: Interval | None
    n: int

    @classmethod
    def of(cls, found: Interval | None, n: int, *, arm: str, condition: str, metric: str) -> "ArmFigure":
        """Return the figure of an interval; without the interval where the cases are too few for one."""
        value = None if found is None else found.value
        shown = found if n >= FEWEST_CASES else None
        return cls(arm=arm, condition=condition, metric=metric, value=value, interval=shown, n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmDifference:
    """First minus second, by one metric under one condition, over the ``n`` cases that both have.

    ``difference`` is None where ``n`` is too few or nothing is told. ``adjusted_p`` is corrected (Holm) for all
    differences of the experiment by the same metric.
    """

    first: str
    second: str
    condition: str
    metric: str
    difference: PairedDifference | None
    n: int
    adjusted_p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisFinding:
    """A hypothesis with the difference that tests it, better minus worse, and what that says."""

    better: str
    worse: str
    condition: str
    metric: str
    because: str
    tested: ArmDifference
    verdict: Verdict


# Returns the difference of two arms under a condition by each metric, with how many cases both have.
Compare = Callable[[str, str, str], Mapping[str, tuple[PairedDifference | None, int]]]


def compare_arms(
    experiment: Experiment, conditions: Sequence[str], metrics: Sequence[str], compare: Compare
) -> tuple[ArmDifference, ...]:
    """Return the differences that the experiment asks about: every arm against the baseline, and the hypotheses' pairs.

    A pair whose hypotheses name conditions is compared under these alone, one of the baseline under all.
    """
    found: list[ArmDifference] = []
    for first, second, condition in _pairs(experiment, conditions):
        measured = compare(first, second, condition)
        for metric in metrics:
            difference, count = measured.get(metric, (None, 0))
            found.append(
                ArmDifference(
                    first=first, second=second, condition=condition, metric=metric, difference=difference, n=count
                )
            )
    return tuple(_corrected(found))


def hold_hypotheses(
    experiment: Experiment, conditions: Sequence[str], differences: Sequence[ArmDifference]
) -> tuple[HypothesisFinding, ...]:
    """Hold each hypothesis against the difference of its arms; one without a condition against each condition."""
    by_place = {(each.first, each.second, each.condition, each.metric): each for each in differences}
    tested = []
    for hypothesis in experiment.hypotheses:
        metric = hypothesis.metric or experiment.main_metric
        for condition in _conditions_of(hypothesis, conditions):
            found = by_place.get((hypothesis.better, hypothesis.worse, condition, metric))
            if found is None:
                found = reversed_difference(by_place[hypothesis.worse, hypothesis.better, condition, metric])
            tested.append(
                HypothesisFinding(
                    better=hypothesis.better,
                    worse=hypothesis.worse,
                    condition=condition,
                    metric=metric,
                    because=hypothesis.because,
                    tested=found,
                    verdict=_verdict(found),
                )
            )
    return tuple(tested)


def reversed_difference(found: ArmDifference) -> ArmDifference:
    """Return the difference the other way round."""
    inner = found.difference
    turned = None if inner is None else replace(inner, difference=-inner.difference, low=-inner.high, high=-inner.low)
    return replace(found, first=found.second, second=found.first, difference=turned)


def _verdict(found: ArmDifference) -> Verdict:
    if found.difference is None or found.adjusted_p is None:
        return "too few cases" if found.n < FEWEST_CASES else "cannot be told"
    if found.adjusted_p >= LEVEL:
        return "not shown"
    return "supported" if found.difference.difference > 0 else "contradicted"


def _pairs(experiment: Experiment, conditions: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each pair of arms and condition once, whichever of the two comes first."""
    seen = set()
    base = experiment.baseline
    against = [(arm.name, base, tuple(conditions)) for arm in experiment.arms if base and arm.name != base]
    asked = [(each.better, each.worse, _conditions_of(each, conditions)) for each in experiment.hypotheses]
    for first, second, where in (*against, *asked):
        for condition in where:
            key = (frozenset((first, second)), condition)
            if key not in seen:
                seen.add(key)
                yield first, second, condition


def _conditions_of(hypothesis: Hypothesis, conditions: Sequence[str]) -> tuple[str, ...]:
    return (hypothesis.condition,) if hypothesis.condition else tuple(conditions)


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
