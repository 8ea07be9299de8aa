"""What changed between two reports, score by score, whether it is more than chance, and the gate that refuses it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from evaluation.intervals import bootstrap_mean
from evaluation.results import About, BenchmarkResult, Report, Score, named

# Sums of the same numbers in another order may differ by so much.
_ROUNDING = 1e-9

Verdict = Literal["better", "worse", "same", "not compared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """How one score changed: ``change`` is ``now`` minus ``before``, in the metric's unit.

    ``verdict`` is "better" or "worse" only where the change is more than chance: where both reports sum the benchmark
    up by this score and have its value by case, the interval of the paired difference (``low`` to ``high``) leaves 0
    out; else the change is larger than half the width of the earlier interval. ``how`` says which it was, or why
    nothing could be compared.
    """

    benchmark: str
    before: Score
    now: Score
    verdict: Verdict
    how: str
    change: float
    low: float | None = None
    high: float | None = None


def compare(now: Report, before: Report) -> tuple[ScoreChange, ...]:
    """Compare every score that both reports have, in the order of ``now``."""
    earlier = {each.about.name: each for each in before.benchmarks if each.status == "scored"}
    found: list[ScoreChange] = []
    for result in now.benchmarks:
        past = earlier.get(result.about.name)
        if past is not None and result.status == "scored":
            rows = {each.row: each for each in past.scores}
            pairs = [(score, rows[score.row]) for score in result.scores if score.row in rows]
            found += [_difference(result, past, score, old, now.seed) for score, old in pairs]
    return tuple(found)


def _difference(now: BenchmarkResult, past: BenchmarkResult, score: Score, old: Score, seed: int) -> ScoreChange:
    change, low, high = score.value - old.value, None, None
    common = sorted(set(now.per_case) & set(past.per_case))
    if common and score is now.main and old is past.main:
        paired = bootstrap_mean([now.per_case[case] - past.per_case[case] for case in common], seed=seed)
        change, low, high = paired.value, paired.low, paired.high
        told, how = low > 0 or high < 0, f"paired over {len(common):,} cases"
    else:
        told, how = abs(change) > (old.high - old.low) / 2 + _ROUNDING, "by the interval"
    verdict: Verdict = "same" if not told else "better" if (change > 0) == score.higher_is_better else "worse"
    if low is None and now.case_digest != past.case_digest:
        verdict, how = "not compared", "measured on other cases"
    return ScoreChange(
        benchmark=now.about.name, before=old, now=score, verdict=verdict, how=how, change=change, low=low, high=high
    )


def is_named(about: About, only: Sequence[str]) -> bool:
    """Return whether any of ``only`` (a name, a name with ``*``, an intrinsic) means the benchmark; none means all."""
    return not only or any(fnmatchcase(about.name, wanted) or about.intrinsic == wanted for wanted in only)


def check_gate(now: Report, baseline: Report, *, only: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what is worse than ``baseline`` or cannot be held against it, a line each; empty: the gate is open.

    Worse is what ``compare`` calls so. A benchmark or score that the baseline has and the report has not, or that
    failed, shuts the gate; so does one measured on other cases (another seed, sample or data set), for then nothing
    can be said. With ``only`` (names, ``*`` allowed, or intrinsics) the rest of the baseline is left out.
    """
    results = {each.about.name: each for each in now.benchmarks}
    changes = {(each.benchmark, each.now.row): each for each in compare(now, baseline)}
    found: list[str] = []
    for past in baseline.benchmarks:
        name, result = past.about.name, results.get(past.about.name)
        if past.status == "failed" or not is_named(past.about, only):
            continue
        if result is None:
            found.append(f"{name}: is in the baseline and was not measured")
        elif result.status == "failed":
            found.append(f"{name}: failed: {result.reason}")
        elif result.case_digest != past.case_digest:
            cases = f"{result.cases:,} cases of seed {now.seed}, {past.cases:,} of seed {baseline.seed} in the baseline"
            found.append(f"{name}: cannot be compared, it was measured on other cases ({cases})")
        else:
            for old in past.scores:
                change = changes.get((name, old.row))
                if change is None:
                    found.append(f"{name} · {named(*old.row)}: is in the baseline and was not scored")
                elif change.verdict == "worse":
                    values = f"{old.value:.4g} → {change.now.value:.4g}"
                    found.append(f"{name} · {named(*old.row)}: {values}, worse ({change.how})")
    return tuple(found)
