"""What changed between two reports, score by score, and whether that is more than chance."""

from dataclasses import dataclass, replace
from typing import Literal

from evaluation.benchmark import Score
from evaluation.report.values import BenchmarkResult, Report
from evaluation.statistics.comparison import paired_bootstrap

# An interval needs fewer resamples than a small p-value does; thousands of cases are compared at every run.
_RESAMPLES = 2_000

Verdict = Literal["better", "worse", "same", "not compared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How one score changed: ``change`` is now minus before, in the metric's unit, ``low`` to ``high`` its interval.

    ``verdict`` is "better" or "worse" only where the change is more than chance: the paired interval leaves 0 out, or,
    where there are no pairs, the intervals of both scores do not meet. ``how`` says which it was, or why nothing could
    be compared. ``low`` and ``high`` are None where there are no pairs.
    """

    benchmark: str
    metric: str
    subset: str
    system: str
    verdict: Verdict
    how: str
    before: float
    now: float
    change: float = 0.0
    low: float | None = None
    high: float | None = None


def compare(now: Report, before: Report) -> tuple[Difference, ...]:
    """Compare every score that both reports have, in the order of ``now``."""
    earlier = {each.about.name: each for each in before.benchmarks}
    found: list[Difference] = []
    for result in now.benchmarks:
        past = earlier.get(result.about.name)
        if past is None or past.status == "failed" or result.status == "failed":
            continue
        rows = {row_of(score): score for score in past.scores}
        for score in result.scores:
            old = rows.get(row_of(score))
            if old is not None:
                found.append(_compare_one(result, past, score, old, seed=now.seed))
    return tuple(found)


def row_of(score: Score) -> tuple[str, str, str]:
    """Return what tells a score from the others of its benchmark: metric, subset, system."""
    return score.metric, score.subset, score.system


def paired(
    now: BenchmarkResult, before: BenchmarkResult, *, seed: int, whole: bool = False
) -> tuple[float, float, float, int] | None:
    """Return mean, low and high of now minus before over the common cases of the main score, and how many these are.

    None where either has no values by case, or no case in common; with ``whole``, where the cases are not the same.
    """
    common = sorted(set(now.per_case) & set(before.per_case))
    if not common or (whole and not len(common) == len(now.per_case) == len(before.per_case)):
        return None
    ours, theirs = [now.per_case[case] for case in common], [before.per_case[case] for case in common]
    if ours == theirs:
        # What most runs bring: nothing changed, and nothing need be drawn to know it.
        return 0.0, 0.0, 0.0, len(common)
    difference = paired_bootstrap(ours, theirs, seed=seed, resamples=_RESAMPLES)
    return difference.difference, difference.low, difference.high, difference.n


def _compare_one(now: BenchmarkResult, before: BenchmarkResult, score: Score, old: Score, *, seed: int) -> Difference:
    base = Difference(
        benchmark=now.about.name,
        metric=score.metric,
        subset=score.subset,
        system=score.system,
        verdict="not compared",
        how="measured on other cases",
        before=old.value,
        now=score.value,
        change=score.value - old.value,
    )
    pairs = paired(now, before, seed=seed) if score is now.main and same_main(now, before) else None
    if pairs is not None:
        change, low, high, n = pairs
        verdict = _verdict(change if low > 0 or high < 0 else 0.0, score)
        return replace(base, verdict=verdict, how=f"paired over {n:,} cases", change=change, low=low, high=high)
    if now.case_digest != before.case_digest:
        return base
    apart = score.low > old.high or score.high < old.low
    return replace(base, verdict=_verdict(base.change if apart else 0.0, score), how="by intervals")


def same_main(now: BenchmarkResult, before: BenchmarkResult) -> bool:
    """Say whether both reports sum the benchmark up by the same score, so that its values by case are the same kind."""
    return now.main is not None and before.main is not None and row_of(now.main) == row_of(before.main)


def _verdict(change: float, score: Score) -> Verdict:
    if change == 0:
        return "same"
    return "better" if (change > 0) == score.higher_is_better else "worse"
