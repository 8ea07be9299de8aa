"""The judge grades every answer; grades are put together by arm."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean

from evaluation.intervals import PairedDifference, bootstrap_mean, paired_bootstrap
from evaluation.results import Outcome
from golden_lab.digests import digest_of_code
from golden_lab.engine import Engine
from golden_lab.experiments.analysing import FEWEST_CASES, ArmFigure, Compare
from golden_lab.experiments.arms import ArmAnswer
from golden_lab.experiments.asking import Failure, Job, OnProgress, run_jobs
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.folder import ExperimentFolder, short_digest
from golden_lab.experiments.form import WEIGHTED, Experiment
from golden_lab.judge.agreement import AgreementReport, held_out, measure_agreement
from golden_lab.judge.embedded import CALIBRATION
from golden_lab.judge.grades import CRITERIA, AnswerGrader, AnswerToGrade, GoldItem
from golden_lab.judge.grading import calibrated_grader, grade_all
from golden_lab.judge.prompted import RUBRICS_FOLDER
from tools.chat.base import ChatModel

# Grades in [1, 5] by criterion, and the weighted one.
AnswerGrades = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentJudge:
    """Who grades: what it was calibrated on, the model that it asks, its agreement with people where measured.

    ``examples`` stands for the worked examples that it was shown.
    """

    grader: AnswerGrader
    name: str
    calibration: str
    examples: str = ""
    chat: ChatModel | None = None
    agreement: AgreementReport | None = None


async def calibrate_judge(
    engine: Engine, gold: Sequence[GoldItem], examples_each: int, *, resamples: int = 1_000
) -> ExperimentJudge:
    """Return the engine's judge; with a scored ``gold`` set, held against it, a language model with its examples.

    Raises:
        InvalidInput: no answer of the gold set has a score.
        Unavailable: the language model did not give what was asked for.
    """
    grader, examples = await calibrated_grader(engine, gold, examples_each)
    name = f"{engine.name} ({engine.model})"
    agreement = None
    if gold:
        some = [item for item in held_out(gold, examples) if any(item.score(each) is not None for each in CRITERIA)]
        graded = await grade_all(grader, some)
        agreement = measure_agreement(some, graded, judge=name, examples=examples, resamples=resamples)
    return ExperimentJudge(
        grader=grader,
        name=name,
        calibration=_calibration(engine, len({each.item.id for each in examples})),
        examples=short_digest(repr(examples)),
        chat=engine.chat,
        agreement=agreement,
    )


def _calibration(engine: Engine, examples: int) -> str:
    if engine.chat is not None:
        if examples:
            return f"prompted with {examples} answers of the gold set on which it was off most"
        return "prompted with the rubric alone: not calibrated on anybody's grades"
    about = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    off = "; ".join(f"{name} {figures['mean_points_off_people_on_the_fit_half']:.2f}"
                    for name, figures in about["figures"].items())  # fmt: skip
    return f"fitted on {about['fitted_on']} ({about['n']} answers); points off people there: {off}"


async def grade_answers(
    experiment: Experiment,
    cases: Mapping[str, ExperimentCase],
    answers: Sequence[ArmAnswer],
    judge: ExperimentJudge,
    folder: ExperimentFolder,
    *,
    at_once: int = 1,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> tuple[dict[str, AnswerGrades], tuple[Failure, ...]]:
    """Return the grades of each answer by its key, and the answers that the judge gave none.

    Grades that ``folder`` holds, of the same judge, code, passages and text, are not given again.
    """
    seen = _shown(experiment, cases, answers)
    ids = {each.key: _grade_id(cases[each.case], each, seen[each.key]) for each in answers}

    async def grade(answer: ArmAnswer) -> tuple[Outcome, float]:
        question, passages = cases[answer.case].question, seen[answer.key]
        item = AnswerToGrade(id=ids[answer.key], question=question, passages=passages, answer=answer.text)
        found = await judge.grader.grade(item)
        values = {name: found.of(name) for name in CRITERIA} | {WEIGHTED: found.weighted}
        outcome = Outcome(id=item.id, values=values, trace={"explanation": found.explanation})
        return outcome, found.provenance.milliseconds / 1_000

    jobs = [
        Job(id=ids[each.key], arm=each.arm, case=each.case, seed=each.seed, work=partial(grade, each))
        for each in answers
    ]
    with folder.outcomes.open("scores", f"judge-{_judge_key(judge)}") as log:
        failures = await run_jobs(jobs, "scored", log, judge.chat, at_once=at_once, on_progress=on_progress)
        stored = {each.key: log.stored[ids[each.key]] for each in answers if ids[each.key] in log.stored}
    return {key: dict(each.outcome.values) for key, each in stored.items()}, failures


def _shown(
    experiment: Experiment, cases: Mapping[str, ExperimentCase], answers: Sequence[ArmAnswer]
) -> dict[str, tuple[str, ...]]:
    """Return the passages that the judge sees of each answer by its key, none twice.

    Where it sees what the arms read, it sees what all of them read, the same for each: a judge that is shown more
    grades otherwise, and an arm must not win by the length of what it was given.
    """
    read: dict[str, list[str]] = {}
    for answer in answers:
        read.setdefault(answer.case, []).extend(answer.passages)
    shown = {}
    for answer in answers:
        gold = [each.text for each in cases[answer.case].passages]
        match experiment.judged_on:
            case "all":
                texts = [*gold, *read[answer.case]]
            case "gold":
                texts = gold
            case "read":
                texts = list(answer.passages)
        shown[answer.key] = tuple(dict.fromkeys(texts))
    return shown


def _grade_id(case: ExperimentCase, answer: ArmAnswer, shown: Sequence[str]) -> str:
    return f"{answer.key} / {short_digest(chr(0).join([case.question, answer.text, *shown]))}"


def _judge_key(judge: ExperimentJudge) -> str:
    """Name what grades depend on besides the answer: the judge, its examples, rubrics and coefficients, the code."""
    files = (*sorted(RUBRICS_FOLDER.glob("*.toml")), CALIBRATION)
    words = " ".join(path.read_text(encoding="utf-8") for path in files)
    code = digest_of_code()
    return short_digest(f"{judge.name} {judge.examples} {code} {words}")


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
    for arm, condition, metric in product(arms, conditions, (*METRICS, ANSWERED)):
        values = [grades[metric] for grades in table.get((arm, condition), {}).values() if metric in grades]
        mean = bootstrap_mean(values, seed=seed) if values else None
        found.append(ArmFigure.of(mean, len(values), arm=arm, condition=condition, metric=metric))
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
