"""What a study of refinement came to: conditions with intervals and paired differences, as a report."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from evaluation.intervals import Interval, PairedDifference, bootstrap_mean, paired_bootstrap
from evaluation.results import Outcome
from golden_lab.refinement.conditions import CONDITIONS, calls_of
from golden_lab.refinement.measuring import (
    COMPARISONS,
    METRICS,
    OVERLAP,
    PRECISION,
    inconsistent_share,
    score_of,
    text_of,
)
from golden_lab.statistics import sign_test

Values = Mapping[str, Any]

# Source: the report on refinement policies for retrieval-augmented answers, section 3.3.
SEEDS = (1337, 2024, 42)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionResult:
    """One condition on one shape of data: the mean of each metric, and what an answer costs in first drafts.

    ``calls`` and ``characters`` are replies, and characters of replies, by those of condition A. ``fired`` is the share
    of answers that were written again.
    """

    condition: str
    metrics: Mapping[str, Interval]
    fired: float
    calls: float
    characters: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """``first`` minus ``second`` in a metric, over questions; seeds of a question are averaged before."""

    first: str
    second: str
    metric: str
    difference: PairedDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedComparison:
    """``first`` against ``second``, judged blindly: wins, ties, losses, and the mean of 1, 0 and -1 over questions."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    mean: PairedDifference
    sign_p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuartileResult:
    """Questions of one quarter by S3 of their first drafts, the highest first: what writing all again changes there.

    ``judged`` is the mean of 1, 0 and -1 for the rewrite (None where nothing was judged), ``precision`` the difference
    in citation precision.
    """

    quartile: int
    questions: int
    lowest: float
    highest: float
    judged: PairedDifference | None
    precision: PairedDifference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeResult:
    """The results on one shape of data."""

    shape: str
    questions: int
    answers: int
    threshold: float
    conditions: tuple[ConditionResult, ...]
    differences: tuple[MetricDifference, ...]
    judged: tuple[JudgedComparison, ...]
    inconsistent: float | None
    quartiles: tuple[QuartileResult, ...]
    signals: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """How a study is run: the seeds of writing, how many of them are judged, the quantile of S3 below which D fires.

    ``seed`` draws the ``resamples`` of the intervals.
    """

    seeds: tuple[int, ...] = SEEDS
    judged_seeds: int = 1
    quantile: float = 0.4
    seed: int = 0
    resamples: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The results with what they were measured on; ``judge`` is "" where no pairs were judged."""

    revision: str
    machine: str
    begun: str
    model: str
    temperature: float
    judge: str
    flags: str
    plan: StudyPlan
    notes: tuple[str, ...]
    shapes: tuple[ShapeResult, ...]


def threshold_of(rows: Sequence[Values], quantile: float) -> float:
    """Return the ``quantile`` of S3 over the first drafts of ``rows``."""
    return float(np.quantile([each["answers"]["A"]["numbers"][OVERLAP] for each in rows], quantile))


def analyse(
    shape: str,
    rows: Sequence[Values],
    judged: Mapping[str, Outcome],
    *,
    threshold: float,
    seed: int,
    judged_seeds: Sequence[int] = (),
    resamples: int = 10_000,
) -> ShapeResult:
    """Put the outcomes of one shape together; intervals draw questions, with all their seeds.

    ``judged`` holds the judgements of the seeds ``judged_seeds``: of the others no comparison is told, not even a tie.
    """
    study = _Rows(rows, judged, threshold, seed, frozenset(judged_seeds), resamples)
    signals = {name: study.interval(itemgetter(name)) for name in ("S1", "S2")}
    signals[OVERLAP] = study.interval(lambda values: values["answers"]["A"]["numbers"][OVERLAP])
    return ShapeResult(
        shape=shape,
        questions=len({each["case"] for each in rows}),
        answers=len(rows),
        threshold=threshold,
        conditions=tuple(study.condition(name) for name in CONDITIONS),
        differences=tuple(
            MetricDifference(first=first, second=second, metric=metric, difference=difference)
            for first, second in COMPARISONS
            for metric in METRICS
            if (difference := study.difference(first, second, metric)) is not None
        ),
        judged=tuple(found for pair in COMPARISONS if (found := study.judged(*pair)) is not None),
        inconsistent=inconsistent_share([each for id_, each in judged.items() if id_.startswith(f"{shape}/")]),
        quartiles=study.quartiles(),
        signals={name: interval for name, interval in signals.items() if interval is not None},
    )


class _Rows:
    def __init__(
        self,
        rows: Sequence[Values],
        judged: Mapping[str, Outcome],
        threshold: float,
        seed: int,
        judged_seeds: frozenset[int],
        resamples: int,
    ) -> None:
        self._judged_seeds = judged_seeds
        self._resamples = resamples
        self._rows = rows
        self._judged = judged
        self._threshold = threshold
        self._seed = seed

    def interval(self, read: Callable[[Values], Any]) -> Interval | None:
        """Return the mean of ``read`` over the rows that have it."""
        found = [(str(each["case"]), float(value)) for each in self._rows if (value := read(each)) is not None]
        if not found:
            return None
        return bootstrap_mean([value for _, value in found], seed=self._seed, groups=[case for case, _ in found])

    def condition(self, name: str) -> ConditionResult:
        metrics = {metric: self.interval(partial(self._number, name, metric)) for metric in METRICS}
        costs = [calls_of(name, each, self._threshold) for each in self._rows]
        first = [calls_of("A", each, self._threshold) for each in self._rows]
        alone = ("A", "B", "C1")
        written = [text_of("D" if name == "D kept" else name, each, self._threshold) for each in self._rows]
        return ConditionResult(
            condition=name,
            metrics={metric: found for metric, found in metrics.items() if found is not None},
            fired=sum(text not in alone for text in written) / len(self._rows),
            calls=sum(calls for calls, _ in costs) / max(1, sum(calls for calls, _ in first)),
            characters=sum(size for _, size in costs) / max(1, sum(size for _, size in first)),
        )

    def difference(self, first: str, second: str, metric: str) -> PairedDifference | None:
        return self._paired(lambda values: _minus(*(self._number(name, metric, values) for name in (first, second))))

    def judged(self, first: str, second: str) -> JudgedComparison | None:
        scores = [self._score(first, second, each) for each in self._rows]
        told = [score for score in scores if score is not None]
        mean = self._paired(lambda values: self._score(first, second, values))
        if mean is None:
            return None
        wins, losses = told.count(1), told.count(-1)
        return JudgedComparison(
            first=first, second=second, wins=wins, ties=told.count(0), losses=losses, mean=mean,
            sign_p=sign_test(wins, losses),
        )  # fmt: skip

    def quartiles(self) -> tuple[QuartileResult, ...]:
        """Cut the questions into four by their mean S3, as even as can be; none where there are fewer than four."""
        overlaps: dict[str, list[float]] = defaultdict(list)
        for each in self._rows:
            overlaps[str(each["case"])].append(each["answers"]["A"]["numbers"][OVERLAP])
        means = {case: float(np.mean(values)) for case, values in overlaps.items()}
        ranked = sorted(means, key=lambda case: (-means[case], case))
        if len(ranked) < 4:
            return ()
        found = []
        for number, part in enumerate(np.array_split(np.array(ranked, dtype=object), 4), start=1):
            cases = {str(case) for case in part}
            part_rows = [each for each in self._rows if each["case"] in cases]
            rows = _Rows(part_rows, self._judged, self._threshold, self._seed, self._judged_seeds, self._resamples)
            found.append(
                QuartileResult(
                    quartile=number,
                    questions=len(cases),
                    lowest=min(means[case] for case in cases),
                    highest=max(means[case] for case in cases),
                    judged=rows._paired(partial(rows._score, "always", "A")),
                    precision=rows.difference("always", "A", PRECISION),
                )
            )
        return tuple(found)

    def _number(self, condition: str, metric: str, values: Values) -> float | None:
        found = values["answers"][text_of(condition, values, self._threshold)]["numbers"][metric]
        return None if found is None else float(found)

    def _score(self, first: str, second: str, values: Values) -> float | None:
        if values["seed"] not in self._judged_seeds:
            return None
        return score_of(first, second, values, self._threshold, self._judged)

    def _paired(self, read: Callable[[Values], float | None]) -> PairedDifference | None:
        """Average ``read`` over the seeds of each question, and draw questions."""
        by_case: dict[str, list[float]] = defaultdict(list)
        for each in self._rows:
            value = read(each)
            if value is not None:
                by_case[str(each["case"])].append(float(value))
        if not by_case:
            return None
        means = [float(np.mean(values)) for values in by_case.values()]
        return paired_bootstrap(means, [0.0] * len(means), seed=self._seed, resamples=self._resamples)


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
