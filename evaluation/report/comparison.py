"""What changed between two reports, score by score, whether it is more than chance, and the gate that refuses it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from evaluation.intervals import paired_bootstrap
from evaluation.results import About, BenchmarkResult, Report, Score, named

# An interval needs fewer resamples than a small p-value does; thousands of cases are compared at every run.
_RESAMPLES = 2_000
# Sums of the same numbers in another order may differ by so much.
_ROUNDING = 1e-9

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
        rows = {each.row: each for each in past.scores}
        for score in result.scores:
            old = rows.get(score.row)
            if old is not None:
                found.append(_compare_one(result, past, score, old, seed=now.seed))
    return tuple(found)


def _paired(
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
    pairs = _paired(now, before, seed=seed) if score is now.main and _same_main(now, before) else None
    if pairs is not None:
        change, low, high, n = pairs
        verdict = _verdict(change if low > 0 or high < 0 else 0.0, score)
        return replace(base, verdict=verdict, how=f"paired over {n:,} cases", change=change, low=low, high=high)
    if now.case_digest != before.case_digest:
        return base
    apart = score.low > old.high or score.high < old.low
    return replace(base, verdict=_verdict(base.change if apart else 0.0, score), how="by intervals")


def _same_main(now: BenchmarkResult, before: BenchmarkResult) -> bool:
    """Say whether both reports sum the benchmark up by the same score, so that its values by case are the same kind."""
    return now.main is not None and before.main is not None and now.main.row == before.main.row


def _verdict(change: float, score: Score) -> Verdict:
    if change == 0:
        return "same"
    return "better" if (change > 0) == score.higher_is_better else "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """Why the gate stays shut: at which benchmark (and score of it), and what happened."""

    benchmark: str
    score: str
    reason: str

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{' · '.join(filter(None, (self.benchmark, self.score)))}: {self.reason}"


def is_named(about: About, only: Sequence[str]) -> bool:
    """Say whether any of ``only`` (a name, a name with ``*``, an intrinsic) means the benchmark; none means all."""
    return not only or any(fnmatchcase(about.name, wanted) or about.intrinsic == wanted for wanted in only)


def check_gate(now: Report, baseline: Report, *, only: Sequence[str] = ()) -> tuple[Breach, ...]:
    """Return what is worse than ``baseline``, or cannot be held against it; empty: the gate is open.

    A score is worse when it lies on its metric's bad side of the baseline's by more than half the width of the
    baseline's interval. Where both reports have the value of every case behind a main score, and the same cases, the
    interval is that of the paired difference instead: it knows how little two runs on the same cases differ by chance.
    A benchmark or score that the baseline has and the report has not, or that failed, is a breach; so is one measured
    on other cases (another seed, sample or data set), for then nothing can be said. With ``only`` (names, ``*``
    allowed, or intrinsics) the rest of the baseline is left out.
    """
    results = {each.about.name: each for each in now.benchmarks}
    found: list[Breach] = []
    for past in baseline.benchmarks:
        about = past.about
        if past.status == "failed" or not is_named(about, only):
            continue
        result = results.get(about.name)
        if result is None:
            found.append(Breach(benchmark=about.name, score="", reason="is in the baseline and was not measured"))
        elif result.status == "failed":
            found.append(Breach(benchmark=about.name, score="", reason=f"failed: {result.reason}"))
        elif result.case_digest != past.case_digest:
            found.append(Breach(benchmark=about.name, score="", reason=_other_cases(now, baseline, result, past)))
        else:
            found += _check_scores(result, past, seed=now.seed)
    return tuple(found)


def _check_scores(now: BenchmarkResult, past: BenchmarkResult, *, seed: int) -> list[Breach]:
    rows = {score.row: score for score in now.scores}
    found = []
    for old in past.scores:
        name = named(*old.row)
        new = rows.get(old.row)
        if new is None:
            found.append(Breach(benchmark=past.about.name, score=name, reason="is in the baseline and was not scored"))
            continue
        reason = _worse(now, past, new, old, seed=seed)
        if reason:
            found.append(Breach(benchmark=past.about.name, score=name, reason=reason))
    return found


def _worse(now: BenchmarkResult, past: BenchmarkResult, new: Score, old: Score, *, seed: int) -> str:
    direction = 1.0 if old.higher_is_better else -1.0
    pairs = _paired(now, past, seed=seed, whole=True) if new is now.main and _same_main(now, past) else None
    if pairs is not None:
        change, low, high, n = pairs
        loss, allowed, how = -direction * change, (high - low) / 2, f"paired over {n:,} cases"
    else:
        loss, allowed, how = direction * (old.value - new.value), (old.high - old.low) / 2, "the baseline's interval"
    if loss <= allowed + _ROUNDING:
        return ""
    return f"{old.value:.4g} → {new.value:.4g}, worse by {loss:.4g}; {allowed:.4g} is allowed ({how})"


def _other_cases(now: Report, baseline: Report, result: BenchmarkResult, past: BenchmarkResult) -> str:
    why = []
    if now.seed != baseline.seed:
        why.append(f"seed {now.seed}, the baseline's is {baseline.seed}")
    if now.full != baseline.full:
        why.append("full, the baseline is a sample" if now.full else "a sample, the baseline is full")
    why.append(f"{result.cases:,} cases, {past.cases:,} in the baseline")
    return f"cannot be compared, it was measured on other cases ({'; '.join(why)})"
