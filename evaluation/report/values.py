"""The report of a run: what was measured by which code, and what every benchmark came to."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evaluation.benchmark import About, Figure, Score

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """A case that went wrong: its loss in [0, 1] and, unless the report goes without, the trace that shows why."""

    id: str
    loss: float
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResult:
    """What one benchmark came to.

    ``status`` is "scored", or "failed" with its ``reason``. ``cases`` is how many were measured, ``case_digest`` a
    digest of their ids: equal digests are equal sets of cases. ``per_case`` holds what the main score is the mean of,
    by case, and is empty where the main score is no mean over cases. ``seconds`` is the wall time of the measurement,
    stored outcomes counted with the time they took; ``median_case_s`` and ``p95_case_s`` are those of one case.
    """

    about: About
    status: Literal["scored", "failed"]
    reason: str = ""
    note: str = ""
    cases: int = 0
    case_digest: str = ""
    scores: tuple[Score, ...] = ()
    figures: tuple[Figure, ...] = ()
    worst: tuple[WorstCase, ...] = ()
    per_case: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    median_case_s: float = 0.0
    p95_case_s: float = 0.0

    @property
    def main(self) -> Score | None:
        """The score that sums the benchmark up, or None where there is none."""
        return main_score(self.about, self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to.

    ``revision`` names the code, ``machine`` what it ran on; ``begun`` is the time in ISO 8601 (UTC). ``not_loaded``
    gives for each module of benchmarks that could not be loaded the reason.
    """

    schema: int = SCHEMA
    engine: str
    model: str
    revision: str
    seed: int
    full: bool
    begun: str
    machine: str
    benchmarks: tuple[BenchmarkResult, ...]
    not_loaded: Mapping[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> Mapping[str, str]:
        """Why each benchmark (or module of benchmarks) that has no scores has none, by its name."""
        failed = {each.about.name: each.reason for each in self.benchmarks if each.status == "failed"}
        return {**self.not_loaded, **failed}

    @property
    def seconds(self) -> float:
        """The wall time of all benchmarks."""
        return sum(each.seconds for each in self.benchmarks)


def main_score(about: About, scores: tuple[Score, ...]) -> Score | None:
    """Return the score that ``about`` names as the one that sums the benchmark up, or None."""
    wanted = (about.metric, about.metric_subset, about.metric_system)
    return next((each for each in scores if (each.metric, each.subset, each.system) == wanted), None)


def without_traces(report: Report) -> Report:
    """Return the report without the worst cases' traces: these quote data sets that may not be passed on."""
    return replace(
        report,
        benchmarks=tuple(
            replace(each, worst=tuple(replace(case, trace={}) for case in each.worst)) for each in report.benchmarks
        ),
    )


def median(values: list[float]) -> float:
    """Return the median of ``values``, 0 where there are none."""
    return statistics.median(values) if values else 0.0


def percentile_95(values: list[float]) -> float:
    """Return the 95th percentile of ``values`` (nearest rank), 0 where there are none."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)] if ordered else 0.0
