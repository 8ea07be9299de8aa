"""The judge's grades of every answer, and the results by arm."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from golden_lab.digests import digest_of_code
from golden_lab.engine import Engine
from golden_lab.experiments.answers import ArmAnswer, Failure, Job, OnProgress, do_all, short_digest
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.figures import FEWEST_CASES, Scores
from golden_lab.intervals import Interval, bootstrap_mean
from golden_lab.judge.grades import CRITERIA, AnswerToGrade
from golden_lab.judge.judges import grader_of
from golden_lab.outcomes import OutcomeStore
from golden_lab.statistics import PairedDifference, paired_bootstrap

WEIGHTED = "weighted"
ANSWERED = "weighted, answered only"
METRICS = (WEIGHTED, *CRITERIA, ANSWERED)

# By arm and case: each grade in [1, 5], the weighted grade, and the weighted grade of answers that were neither
# declined nor empty.
GradeTable = Mapping[tuple[str, str], Mapping[str, float]]


async def grade_answers(
    cases: Mapping[str, ExperimentCase],
    answers: Sequence[ArmAnswer],
    engine: Engine,
    store: OutcomeStore,
    *,
    at_once: int,
    on_progress: OnProgress,
) -> tuple[GradeTable, tuple[Failure, ...]]:
    """Return the grades of each answer, and the answers that the judge did not grade.

    For every arm, the judge sees the same passages: those with the answer, and all that any arm read for the question.
    A judge that sees more text grades differently, and an arm must not win because of the length of its passages.
    Grades in ``store`` from the same engine and code are reused.
    """
    grader = grader_of(engine)
    read: dict[str, dict[str, None]] = {key: dict.fromkeys(each.text for each in case.passages)
                                        for key, case in cases.items()}  # fmt: skip
    for answer in answers:
        read[answer.case].update(dict.fromkeys(answer.passages))

    async def grade(answer: ArmAnswer, item: AnswerToGrade) -> Mapping[str, Any]:
        found = await grader.grade(item)
        grades = {name: found.of(name) for name in CRITERIA} | {WEIGHTED: found.weighted}
        return grades | ({ANSWERED: found.weighted} if answer.outcome == "answered" else {})

    works = []
    for answer in answers:
        question, passages = cases[answer.case].question, tuple(read[answer.case])
        known = f"{answer.arm} / {answer.case} / {short_digest(question, answer.text, *passages)}"
        item = AnswerToGrade(id=known, question=question, passages=passages, answer=answer.text)
        works.append(Job(id=known, arm=answer.arm, case=answer.case, do=partial(grade, answer, item)))
    name = f"judge-{short_digest(engine.name, engine.model, digest_of_code())}"
    return await do_all(works, store, name, "scored", at_once=at_once, on_progress=on_progress)


def grade_scores(table: GradeTable, cases: Sequence[ExperimentCase], *, seed: int) -> Scores:
    """Summarise the grades: means over cases, and their paired differences."""

    def graded(arm: str, condition: str) -> Mapping[str, Mapping[str, float]]:
        keys = [case.key for case in cases if case.condition == condition]
        return {key: table[arm, key] for key in keys if (arm, key) in table}

    def measure(arm: str, condition: str) -> Mapping[str, tuple[Interval | None, int]]:
        rows = graded(arm, condition).values()
        values = {metric: [row[metric] for row in rows if metric in row] for metric in METRICS}
        return {name: (bootstrap_mean(some, seed=seed) if some else None, len(some)) for name, some in values.items()}

    def compare(first: str, second: str, condition: str) -> Mapping[str, tuple[PairedDifference | None, int]]:
        ours, theirs = graded(first, condition), graded(second, condition)
        found = {}
        for metric in METRICS:
            both = [key for key in ours if metric in ours[key] and metric in theirs.get(key, {})]
            one, other = [ours[key][metric] for key in both], [theirs[key][metric] for key in both]
            enough = len(both) >= FEWEST_CASES
            found[metric] = (paired_bootstrap(one, other, seed=seed) if enough else None, len(both))
        return found

    return Scores(measure=measure, compare=compare)
