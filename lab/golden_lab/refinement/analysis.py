"""The results of a study of refinement: conditions with intervals and paired differences."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from golden_lab.intervals import Interval, bootstrap_mean
from golden_lab.refinement.conditions import COMPARISONS, CONDITIONS, FIRST_TEXTS, calls_of, text_of
from golden_lab.refinement.judged_pairs import score_of
from golden_lab.refinement.metrics import METRICS, OVERLAP, PRECISION
from golden_lab.results import Outcome
from golden_lab.statistics import PairedDifference, paired_bootstrap

Values = Mapping[str, Any]
# Returns a number from an outcome's values, or None if it has none.
Read = Callable[[Values], Any]

# Source: the report on refinement policies for retrieval-augmented answers, section 3.3.
SEEDS = (1337, 2024, 42)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionResult:
    """One condition on one data shape: the mean of each metric, and the cost of an answer relative to a first draft.

    ``calls`` and ``characters`` are the numbers of replies and of their characters, relative to condition A. ``fired``
    is the share of answers that were rewritten.
    """

    condition: str
    metrics: Mapping[str, Interval]
    fired: float
    calls: float
    characters: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """The mean of ``first`` minus ``second`` in a metric over questions; the seeds of a question are averaged first."""

    first: str
    second: str
    metric: str
    difference: PairedDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedComparison:
    """A blind comparison of ``first`` with ``second``: wins, ties, losses, and the mean score (1, 0 or -1)."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    mean: PairedDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class QuartileResult:
    """A quarter of the questions, ranked by S3 of first drafts (highest first), and the effect of rewriting all drafts.

    ``judged`` is the rewrite's mean score (1, 0 or -1; None if nothing was judged), ``precision`` the difference in
    citation precision.
    """

    quartile: int
    questions: int
    lowest: float
    highest: float
    judged: PairedDifference | None
    precision: PairedDifference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeResult:
    """The results on one data shape; ``inconsistent`` is the share of judged pairs whose winner changed with the
    position (None if none were judged), ``faithfulness`` the ABPC of the attribution (empty if there is none)."""

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
    faithfulness: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """The plan of a study: the seeds for writing (the first is judged), and the quantile of S3 below which D fires.

    ``seed`` is the seed of the bootstrap.
    """

    seeds: tuple[int, ...] = SEEDS
    quantile: float = 0.4
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The results with the setup of the measurement; ``judge`` is "" if no pairs were judged."""

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
    return float(np.quantile([_overlap(each) for each in rows], quantile))


def analyse(
    shape: str, rows: Sequence[Values], judged: Mapping[str, Outcome] | None, *, threshold: float, plan: StudyPlan
) -> ShapeResult:
    """Combine the outcomes of one data shape; intervals resample questions with all their seeds.

    ``judged`` contains the judgements of the first seed, or is None if nothing was judged. The other seeds have no
    comparisons, not even ties.
    """
    found = _Analysis(rows, judged, threshold, plan)
    pairs = [each.values["consistent"] for id_, each in (judged or {}).items() if id_.startswith(f"{shape}/")]
    return ShapeResult(
        shape=shape,
        questions=len({each["case"] for each in rows}),
        answers=len(rows),
        threshold=threshold,
        conditions=tuple(map(found.condition, CONDITIONS)),
        differences=tuple(
            MetricDifference(first=first, second=second, metric=metric, difference=difference)
            for first, second in COMPARISONS
            for metric in METRICS
            if (difference := found.difference(first, second, metric)) is not None
        ),
        judged=tuple(each for pair in COMPARISONS if (each := found.comparison(*pair)) is not None),
        inconsistent=pairs.count(False) / len(pairs) if pairs else None,
        quartiles=tuple(found.quartile(at, *each) for at, each in enumerate(_quarters(rows), start=1)),
        signals=found.means({"S1": lambda values: values["S1"], OVERLAP: _overlap}),
        faithfulness=found.means(
            {
                "input x gradient": lambda values: values.get("abpc"),
                "random order": lambda values: values.get("random_abpc"),
                "difference": lambda values: values["abpc"] - values["random_abpc"] if "abpc" in values else None,
            }
        ),
    )


class _Analysis:
    """The results computed from the rows of one data shape, by condition, pair and quarter."""

    def __init__(
        self, rows: Sequence[Values], judged: Mapping[str, Outcome] | None, threshold: float, plan: StudyPlan
    ) -> None:
        self._rows, self._judged, self._threshold, self._plan = rows, judged, threshold, plan

    def condition(self, name: str) -> ConditionResult:
        first_cost, cost = (
            np.sum([calls_of(each, values, self._threshold) for values in self._rows], axis=0) for each in ("A", name)
        )
        calls, characters = (cost / np.maximum(1, first_cost)).tolist()
        written = [text_of("D" if name == "D kept" else name, each, self._threshold) for each in self._rows]
        return ConditionResult(
            condition=name,
            metrics=self.means({metric: self._number(name, metric) for metric in METRICS}),
            fired=sum(text not in FIRST_TEXTS for text in written) / len(self._rows),
            calls=calls,
            characters=characters,
        )

    def comparison(self, first: str, second: str) -> JudgedComparison | None:
        score = self._score(first, second)
        scores = [found for each in self._rows if (found := score(each)) is not None]
        mean = _paired(self._rows, score, self._plan.seed)
        counts = {"wins": scores.count(1), "ties": scores.count(0), "losses": scores.count(-1)}
        return None if mean is None else JudgedComparison(first=first, second=second, **counts, mean=mean)

    def quartile(self, at: int, overlaps: Mapping[str, float], rows: Sequence[Values]) -> QuartileResult:
        return QuartileResult(
            quartile=at,
            questions=len(overlaps),
            lowest=min(overlaps.values()),
            highest=max(overlaps.values()),
            judged=_paired(rows, self._score("always", "A"), self._plan.seed),
            precision=self.difference("always", "A", PRECISION, rows),
        )

    def difference(
        self, first: str, second: str, metric: str, rows: Sequence[Values] | None = None
    ) -> PairedDifference | None:
        one, other = self._number(first, metric), self._number(second, metric)
        return _paired(
            self._rows if rows is None else rows,
            lambda values: None if one(values) is None else one(values) - other(values),
            self._plan.seed,
        )

    def means(self, reads: Mapping[str, Read]) -> dict[str, Interval]:
        found = {name: _mean(self._rows, read, self._plan.seed) for name, read in reads.items()}
        return {name: interval for name, interval in found.items() if interval is not None}

    def _number(self, name: str, metric: str) -> Read:
        return lambda values: values["answers"][text_of(name, values, self._threshold)]["numbers"][metric]

    def _score(self, first: str, second: str) -> Read:
        return lambda values: (
            score_of(first, second, values, self._threshold, self._judged)
            if self._judged is not None and values["seed"] == self._plan.seeds[0]
            else None
        )


def _overlap(values: Values) -> float:
    return float(values["answers"]["A"]["numbers"][OVERLAP])


def _quarters(rows: Sequence[Values]) -> list[tuple[dict[str, float], list[Values]]]:
    """Split the questions into quarters by mean S3, as evenly as possible; empty for fewer than four questions.

    Each quarter contains the mean S3 of each of its questions, and the rows of all of them.
    """
    means = _by_case(rows, _overlap)
    ranked = sorted(means, key=lambda case: (-means[case], case))
    quarters = np.array_split(np.array(ranked, dtype=object), 4) if len(ranked) >= 4 else []
    return [
        ({case: means[case] for case in part}, [each for each in rows if each["case"] in set(part)])
        for part in quarters
    ]


def _by_case(rows: Sequence[Values], read: Read) -> dict[str, float]:
    """Average the values that ``read`` returns over the seeds of each question."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in rows:
        if (value := read(each)) is not None:
            found[str(each["case"])].append(float(value))
    return {case: float(np.mean(values)) for case, values in found.items()}


def _mean(rows: Sequence[Values], read: Read, seed: int) -> Interval | None:
    found = [(str(each["case"]), float(value)) for each in rows if (value := read(each)) is not None]
    return (
        bootstrap_mean([value for _, value in found], seed=seed, groups=[case for case, _ in found]) if found else None
    )


def _paired(rows: Sequence[Values], read: Read, seed: int) -> PairedDifference | None:
    means = list(_by_case(rows, read).values())
    return paired_bootstrap(means, [0.0] * len(means), seed=seed) if means else None
