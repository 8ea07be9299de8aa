"""Grades of all answers, put together by arm: means over cases, and paired differences."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from contracts.grading import CRITERIA
from evaluation.statistics.comparison import PairedDifference, paired_bootstrap
from evaluation.statistics.intervals import bootstrap_mean
from golden_lab.experiments.analysing import FEWEST_CASES, ArmFigure, Compare
from golden_lab.experiments.arms import ArmAnswer
from golden_lab.experiments.form import WEIGHTED
from golden_lab.experiments.judging import AnswerGrades

METRICS = (*CRITERIA, WEIGHTED)
ANSWERED = "weighted, answered only"

# By arm, condition and case: each grade, the mean over seeds.
GradeTable = Mapping[tuple[str, str], Mapping[str, AnswerGrades]]


def grade_table(
    answers: Sequence[ArmAnswer], graded: Mapping[str, AnswerGrades], conditions: Mapping[str, str]
) -> GradeTable:
    """Return the grades by arm and condition; ``conditions`` names each case's. Of several seeds the mean counts.

    ``ANSWERED`` is the weighted grade of what was neither declined nor empty.
    """
    rows: dict[tuple[str, str], dict[str, list[dict[str, float]]]] = {}
    for answer in answers:
        if answer.key in graded:
            grades = dict(graded[answer.key])
            if answer.outcome == "answered":
                grades[ANSWERED] = grades[WEIGHTED]
            rows.setdefault((answer.arm, conditions[answer.case]), {}).setdefault(answer.case, []).append(grades)
    return {
        place: {case: {name: fmean(each[name] for each in some if name in each) for name in _names(some)}
                for case, some in by_case.items()}
        for place, by_case in rows.items()
    }  # fmt: skip


def grade_figures(
    table: GradeTable, arms: Sequence[str], conditions: Sequence[str], *, seed: int
) -> tuple[ArmFigure, ...]:
    """Return the mean of each grade by arm and condition."""
    found = []
    for arm in arms:
        for condition in conditions:
            by_case = table.get((arm, condition), {})
            for metric in (*METRICS, ANSWERED):
                values = [grades[metric] for grades in by_case.values() if metric in grades]
                mean = bootstrap_mean(values, seed=seed) if values else None
                found.append(
                    ArmFigure(
                        arm=arm,
                        condition=condition,
                        metric=metric,
                        value=mean.value if mean else None,
                        interval=mean if len(values) >= FEWEST_CASES else None,
                        n=len(values),
                    )
                )
    return tuple(found)


def grade_differences(table: GradeTable, *, seed: int) -> Compare:
    """Return what compares two arms on the cases on which both were graded."""

    def compare(first: str, second: str, condition: str) -> Mapping[str, tuple[PairedDifference | None, int]]:
        ours, theirs = table.get((first, condition), {}), table.get((second, condition), {})
        common = [case for case in ours if case in theirs]
        found = {}
        for metric in METRICS:
            pairs = [(ours[case][metric], theirs[case][metric]) for case in common]
            enough = len(pairs) >= FEWEST_CASES
            difference = paired_bootstrap(*zip(*pairs, strict=True), seed=seed) if enough else None
            found[metric] = (difference, len(pairs))
        return found

    return compare


def _names(grades: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in grades for name in each))
