"""What a measurement came to: what it is about, its scores, its cases, and the report of a run."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

_WORST_CASES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitUse:
    """A part of a data set that is scored or fitted on.

    ``file`` is a path below the data folder. ``part`` is "all", or one of the two halves into which the groups of the
    file are parted; "all" overlaps with both.
    """

    file: str
    part: Literal["all", "fit", "score"] = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure that others published, in the unit of our ``Score`` of the same ``metric``.

    ``source`` names paper and table. ``differs`` says in what their set or setting is not ours ("full corpora, ours are
    pooled"), "" where it is the same.
    """

    metric: str
    value: float
    system: str
    source: str
    subset: str = ""
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a benchmark measures and on what.

    ``intrinsic`` is the folder of the judgement that is scored, or "retrieval", "ocr", "bot", "judge", "triples".
    ``metric`` is the one that sums the intrinsic up, ``metric_subset`` and ``metric_system`` which of its rows.
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
    """A score with its 95 % interval over ``n`` cases, in its metric's own unit ([0, 1] unless it says otherwise).

    ``system`` tells several systems of one benchmark apart ("BM25", "hybrid"), ``subset`` several parts of its data.
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
        """What tells the score from the others of its benchmark: metric, subset, system."""
        return self.metric, self.subset, self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one case came to.

    ``values`` are plain JSON values: all that the scores are made of; a report goes without them. ``loss`` in [0, 1]
    says how wrong it went (0: right); ``trace`` shows a person why.
    """

    id: str
    values: Mapping[str, Any] = field(default_factory=dict)
    loss: float = 0.0
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A plot as SVG text, with its title and, for those who cannot see it, what it shows."""

    title: str
    svg: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResult:
    """What one benchmark came to.

    ``status`` is "scored", or "failed" with its ``reason``. ``cases`` is how many were measured, ``case_digest`` a
    digest of their ids: equal digests are equal sets of cases. ``per_case`` holds what the main score is the mean of,
    by case, and is empty where the main score is no mean over cases. ``seconds`` is the wall time of the measurement.
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
        """The score that sums the benchmark up, or None where there is none."""
        return main_score(self.about, self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to.

    ``revision`` names the code, ``machine`` what it ran on; ``begun`` is the time in ISO 8601 (UTC).
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
        """Why each benchmark that failed has no scores, by its name."""
        return {each.about.name: each.reason for each in self.benchmarks if each.status == "failed"}

    @property
    def seconds(self) -> float:
        """The wall time of all benchmarks."""
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
    """Put together what a benchmark came to; scores that are no numbers are named in its note and left out."""
    kept = tuple(score for score in scores if math.isfinite(score.value))
    lost = [f"{named(*score.row)} has no value" for score in scores if score not in kept]
    if main_score(about, kept) is None:
        row = named(about.metric, about.metric_subset, about.metric_system)
        lost.append(f"{row}, which sums the benchmark up, was not scored")
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
    """Return the score that ``about`` names as the one that sums the benchmark up, or None."""
    wanted = (about.metric, about.metric_subset, about.metric_system)
    return next((each for each in scores if each.row == wanted), None)


def named(*parts: str) -> str:
    """Write the parts of a score's row that are there."""
    return " ".join(filter(None, parts))


def without_traces(report: Report) -> Report:
    """Return the report without the worst cases' traces: these quote data sets that may not be passed on."""
    return replace(
        report,
        benchmarks=tuple(
            replace(each, worst=tuple(replace(case, trace={}) for case in each.worst)) for each in report.benchmarks
        ),
    )
