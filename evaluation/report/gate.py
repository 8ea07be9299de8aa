"""The gate: whether a report is worse than a baseline by more than chance allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from evaluation.benchmark import About, Score
from evaluation.report.differences import paired, row_of, same_main
from evaluation.report.values import BenchmarkResult, Report

# Sums of the same numbers in another order may differ by so much.
_ROUNDING = 1e-9


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
    rows = {row_of(score): score for score in now.scores}
    found = []
    for old in past.scores:
        name = " ".join(filter(None, row_of(old)))
        new = rows.get(row_of(old))
        if new is None:
            found.append(Breach(benchmark=past.about.name, score=name, reason="is in the baseline and was not scored"))
            continue
        reason = _worse(now, past, new, old, seed=seed)
        if reason:
            found.append(Breach(benchmark=past.about.name, score=name, reason=reason))
    return found


def _worse(now: BenchmarkResult, past: BenchmarkResult, new: Score, old: Score, *, seed: int) -> str:
    direction = 1.0 if old.higher_is_better else -1.0
    pairs = paired(now, past, seed=seed, whole=True) if new is now.main and same_main(now, past) else None
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
