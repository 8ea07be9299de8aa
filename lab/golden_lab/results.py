"""Results of measurements: the benchmark, its scores, its cases, and the report of a run."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

_WORST_CASES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitUse:
    """A part of a data set that is used for scoring or fitting.

    ``file`` is a path in the data folder. ``part`` is "all", or one of two halves of the file's groups; "all"
    overlaps with both.
    """

    file: str
    part: Literal["all", "fit", "score"] = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure published by others, in the unit of our ``Score`` of the same ``metric``.

    ``source`` names the paper and the table. ``differs`` states how their data or setting differs from ours ("full
    corpora, ours are pooled"); "" if there is no difference.
    """

    metric: str
    value: float
    system: str
    source: str
    subset: str = ""
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a benchmark measures, and on which data.

    ``intrinsic`` is the folder of the judgement that is scored, or "retrieval", "ocr", "bot", "judge" or "triples".
    ``metric`` is its main metric; ``metric_subset`` and ``metric_system`` select the row of the main score.
    """

    name: str
    title: str
    intrinsic: str
    metric: str
    source: str
    licence: str
    split: str
    uses: tuple[SplitUse, ...]
    metric_subset: str = ""
    metric_system: str = ""
    published: tuple[Published, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score from ``n`` cases with its 95% interval, in the metric's own unit ([0, 1] unless stated otherwise).

    ``system`` is one of a benchmark's systems ("BM25", "hybrid"), ``subset`` a part of its data.
    """

    metric: str
    value: float
    low: float
    high: float
    n: int
    system: str = ""
    subset: str = ""
    higher_is_better: bool = True

    @property
    def row(self) -> tuple[str, str, str]:
        """The key of the score in its benchmark: metric, subset, system."""
        return self.metric, self.subset, self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one case.

    ``values`` are JSON values from which the scores are computed; a report omits them. ``loss`` in [0, 1] is how wrong
    the outcome was (0: correct); ``trace`` explains why.
    """

    id: str
    values: Mapping[str, Any] = field(default_factory=dict)
    loss: float = 0.0
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A plot as SVG text, with its title and a description for screen readers."""

    title: str
    svg: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResult:
    """The result of one benchmark.

    ``status`` is "scored", or "failed" with its ``reason``. ``cases`` is the number of cases measured, ``case_digest``
    a digest of their ids: equal digests mean the same cases. ``per_case`` maps case ids to the values whose mean is the
    main score; it is empty if that score is not a mean. ``seconds`` is the wall time of the measurement.
    """

    about: About
    status: Literal["scored", "failed"]
    reason: str = ""
    note: str = ""
    cases: int = 0
    case_digest: str = ""
    scores: tuple[Score, ...] = ()
    figures: tuple[Figure, ...] = ()
    worst: tuple[Outcome, ...] = ()
    per_case: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def main(self) -> Score | None:
        return main_score(self.about, self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The results of a run.

    ``revision`` identifies the code, ``machine`` the hardware; ``begun`` is the start time in ISO 8601 (UTC).
    """

    schema: Literal[1] = 1
    engine: str
    model: str
    revision: str
    seed: int
    full: bool
    begun: str
    machine: str
    benchmarks: tuple[BenchmarkResult, ...]

    @property
    def failures(self) -> Mapping[str, str]:
        return {each.about.name: each.reason for each in self.benchmarks if each.status == "failed"}

    @property
    def seconds(self) -> float:
        return sum(each.seconds for each in self.benchmarks)


def result_of(
    about: About,
    outcomes: Sequence[Outcome],
    scores: Sequence[Score],
    *,
    per_case: Mapping[str, float],
    seconds: float,
    figures: tuple[Figure, ...] = (),
    note: str = "",
) -> BenchmarkResult:
    """Build the result of a benchmark; leave out scores that are not finite, and name them in its note."""
    kept = tuple(score for score in scores if math.isfinite(score.value))
    lost = [f"{named(*score.row)} has no value" for score in scores if score not in kept]
    if main_score(about, kept) is None:
        row = named(about.metric, about.metric_subset, about.metric_system)
        lost.append(f"the main score, {row}, is missing")
    worst = sorted((each for each in outcomes if each.loss > 0), key=lambda each: (-each.loss, each.id))
    return BenchmarkResult(
        about=about,
        status="scored",
        note="; ".join(filter(None, (note, *lost))),
        cases=len(outcomes),
        case_digest=hashlib.sha256("\0".join(sorted(each.id for each in outcomes)).encode()).hexdigest()[:16],
        scores=kept,
        figures=figures,
        worst=tuple(replace(each, values={}) for each in worst[:_WORST_CASES]),
        per_case=per_case,
        seconds=seconds,
    )


def main_score(about: About, scores: Sequence[Score]) -> Score | None:
    """Return the score that ``about`` names as the main one, or None."""
    wanted = (about.metric, about.metric_subset, about.metric_system)
    return next((each for each in scores if each.row == wanted), None)


def named(*parts: str) -> str:
    """Join the non-empty parts of a score's key."""
    return " ".join(filter(None, parts))


def without_traces(report: Report) -> Report:
    """Return the report without the traces of the worst cases, which quote data sets that must not be redistributed."""
    return replace(
        report,
        benchmarks=tuple(
            replace(each, worst=tuple(replace(case, trace={}) for case in each.worst)) for each in report.benchmarks
        ),
    )
