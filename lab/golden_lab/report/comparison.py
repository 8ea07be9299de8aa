"""Compare two reports score by score, decide whether changes are significant, and fail the gate if a score falls."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from golden_lab.intervals import bootstrap_mean
from golden_lab.results import About, BenchmarkResult, Report, Score, named

# The maximum difference between sums of the same numbers added in different orders.
_ROUNDING = 1e-9

Verdict = Literal["better", "worse", "same", "not compared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """The change of one score: ``change`` is ``now`` minus ``before``, in the metric's unit.

    ``verdict`` is "better" or "worse" only if the change is significant. If it is the main score of the benchmark and
    both reports have its value by case, the interval of the paired difference (``low`` to ``high``) must exclude 0;
    else the change must exceed half the width of the earlier interval. ``how`` is the rule that was applied, or the
    reason that the scores cannot be compared.
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
        differs, how = low > 0 or high < 0, f"paired over {len(common):,} cases"
    else:
        differs, how = abs(change) > (old.high - old.low) / 2 + _ROUNDING, "by the interval"
    verdict: Verdict = "same" if not differs else "better" if (change > 0) == score.higher_is_better else "worse"
    if low is None and now.case_digest != past.case_digest:
        verdict, how = "not compared", "measured on other cases"
    return ScoreChange(
        benchmark=now.about.name, before=old, now=score, verdict=verdict, how=how, change=change, low=low, high=high
    )


def is_named(about: About, only: Sequence[str]) -> bool:
    """Return whether ``only`` (names, patterns with ``*``, or intrinsics; empty means all) includes a benchmark."""
    return not only or any(fnmatchcase(about.name, wanted) or about.intrinsic == wanted for wanted in only)


def check_gate(now: Report, baseline: Report, *, only: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a line for each score that is worse than ``baseline`` or cannot be compared; empty if the gate passes.

    "Worse" has the same meaning as in ``compare``. A benchmark or score of the baseline that is missing or failed also
    fails the gate, and so does one measured on different cases (seed, sample or data set). ``only`` (names, patterns
    with ``*``, intrinsics) limits the check.
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
