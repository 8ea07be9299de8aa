"""How far a judge agrees with people: rank correlations, accuracy exact and within a point, with intervals."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from contracts.grading import CRITERIA, GoldItem, Grades
from evaluation.intervals import Floats, Interval, bootstrap, bootstrap_mean
from golden_lab.judge.examples import JudgeExample, check_no_leak
from golden_lab.run import SEED
from golden_lab.statistics import accuracy_within, kendall, spearman

# What a judge must reach to be called strong. Source: Saxena and Owyang 2025, section 4.2 and appendix D.
TARGET_SPEARMAN = 0.8
TARGET_KENDALL = 0.65
WEIGHTED = "weighted"

Correlation = Callable[[Floats, Floats], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAgreement:
    """A judge's agreement with people under one criterion, or of the ``weighted`` grades, over ``n`` answers.

    ``spearman`` and ``kendall`` (tau-b) in [-1, 1], None where ``untold`` says why they cannot be told. ``exact`` and
    ``within_one`` are shares of answers, the judge's grade rounded to a whole one. ``bias`` is the mean of judge minus
    person, in points.
    """

    criterion: str
    n: int
    spearman: Interval | None
    kendall: Interval | None
    exact: Interval
    within_one: Interval
    bias: Interval
    untold: str = ""

    @property
    def strong(self) -> bool:
        """Whether both correlations reach their targets."""
        return (
            self.spearman is not None
            and self.kendall is not None
            and self.spearman.value >= TARGET_SPEARMAN
            and self.kendall.value >= TARGET_KENDALL
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """A judge's agreement with a gold set: a row a criterion, then the weighted grades. ``examples`` did not count."""

    judge: str
    rows: tuple[CriterionAgreement, ...]
    examples: tuple[str, ...] = ()
    seed: int = SEED


def measure_agreement(
    gold: Sequence[GoldItem],
    graded: Mapping[str, Grades],
    *,
    judge: str,
    examples: Sequence[JudgeExample] = (),
    seed: int = SEED,
    resamples: int = 1_000,
) -> AgreementReport:
    """Hold the grades of ``gold`` (by id) against its scores; answers without a score do not count under it.

    Raises:
        InvalidInput: an item was shown to the judge as an example, has no grade, or no item has a score.
    """
    check_no_leak(gold, examples)
    missing = [item.id for item in gold if item.id not in graded]
    if missing:
        raise InvalidInput(f"The judge did not grade {', '.join(missing[:5])}.", field="id")
    rows = []
    for criterion in CRITERIA:
        pairs = [
            (graded[item.id].of(criterion), float(score))
            for item in gold
            if (score := item.score(criterion)) is not None
        ]
        if pairs:
            rows.append(agree(criterion, *_columns(pairs), seed=seed, resamples=resamples))
    whole = [(graded[item.id].weighted, mean) for item in gold if (mean := item.weighted) is not None]
    if whole:
        rows.append(agree(WEIGHTED, *_columns(whole), seed=seed, resamples=resamples))
    if not rows:
        raise InvalidInput("No answer of the gold set has a score yet: score some first (golden-lab judge score).")
    used = tuple(sorted({example.item.id for example in examples}))
    return AgreementReport(judge=judge, rows=tuple(rows), examples=used, seed=seed)


def agree(criterion: str, judge: Floats, people: Floats, *, seed: int, resamples: int = 1_000) -> CriterionAgreement:
    """Return the agreement of two columns of grades of the same answers.

    Raises:
        InvalidInput: there are no grades, or not as many on both sides.
    """
    rounded, whole = round_half_up(judge), round_half_up(people)
    count = len(judge)

    def interval(statistic: Callable[[NDArray[np.intp]], float]) -> Interval:
        return bootstrap(statistic, count, seed=seed, resamples=resamples)

    untold = ""
    rank: list[Interval | None] = []
    for correlate in (spearman, kendall):
        try:
            rank.append(interval(partial(_correlation, correlate, judge, people)))
        except InvalidInput as error:
            untold = str(error)
            rank.append(None)
    return CriterionAgreement(
        criterion=criterion,
        n=count,
        spearman=rank[0],
        kendall=rank[1],
        exact=interval(partial(_accuracy, rounded, whole, 0.0)),
        within_one=interval(partial(_accuracy, rounded, whole, 1.0)),
        bias=bootstrap_mean(judge - people, seed=seed, resamples=resamples),
        untold=untold,
    )


def round_half_up(grades: Floats) -> Floats:
    """Round to whole grades, halves upwards: 3.5 is 4, and so is 4.5 no 4 but 5."""
    return np.array([math.floor(grade + 0.5) for grade in grades], dtype=np.float64)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(pairs, dtype=np.float64)
    return table[:, 0], table[:, 1]


def _correlation(correlate: Correlation, judge: Floats, people: Floats, rows: NDArray[np.intp]) -> float:
    return float(correlate(judge[rows], people[rows]))


def _accuracy(judge: Floats, people: Floats, tolerance: float, rows: NDArray[np.intp]) -> float:
    return accuracy_within(judge[rows], people[rows], tolerance)
