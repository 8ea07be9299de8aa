"""Run an experiment: check, ask, score, put together. What was done before is not done again."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evaluation.results import Figure
from evaluation.revision import machine, revision
from golden_lab.engine import Engine
from golden_lab.experiments.analysing import (
    ArmDifference,
    ArmFigure,
    HypothesisFinding,
    compare_arms,
    hold_hypotheses,
)
from golden_lab.experiments.arms import ArmAnswer, Bench
from golden_lab.experiments.asking import Failure, OnProgress, ask_all
from golden_lab.experiments.attributing import attribute_answers
from golden_lab.experiments.cases import ExperimentCase, ExperimentCases
from golden_lab.experiments.claims import ROUGE, claim_differences, claim_figures, claim_table
from golden_lab.experiments.folder import ExperimentFolder, identity_of
from golden_lab.experiments.form import EMBEDDED, METRICS, WEIGHTED, Experiment
from golden_lab.experiments.judging import ExperimentJudge, grade_answers, grade_differences, grade_figures, grade_table
from golden_lab.judge.agreement import AgreementReport
from golden_lab.plots import bars_with_intervals
from golden_lab.triples.metrics import Decomposition
from golden_lab.triples.pipeline import AttributedResponse
from golden_lab.triples.report import UnsupportedClaim, make_report


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCounts:
    """What became of an arm's questions; ``cut`` of the answers reached their most tokens."""

    arm: str
    model: str
    asked: int
    answered: int
    declined: int
    empty: int
    cut: int
    failed: int
    not_scored: int
    median_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the scores came to, whichever scorer gave them.

    ``calibration`` and ``agreement`` are a judge's, the decomposition (or why there is none) and the ``unsupported``
    claims TRIFEX's.
    """

    scorer: str
    figures: tuple[ArmFigure, ...]
    differences: tuple[ArmDifference, ...]
    hypotheses: tuple[HypothesisFinding, ...]
    calibration: str = ""
    agreement: AgreementReport | None = None
    decomposition: Decomposition | None = None
    not_decomposed: str = ""
    unsupported: tuple[UnsupportedClaim, ...] = ()
    plots: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReport:
    """An experiment with all that its figures rest on.

    ``asked_revision`` is that of the code with which the first answer was asked, ``revision`` that of this run.
    ``seed`` draws the resamples of the intervals.
    """

    experiment: Experiment
    revision: str
    asked_revision: str
    machine: str
    begun: str
    seed: int
    cases_file: str
    cases_sha256: str
    cases: int
    questions: int
    conditions: tuple[str, ...]
    counts: tuple[ArmCounts, ...]
    findings: Findings
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]


async def run_experiment(
    experiment: Experiment,
    cases: ExperimentCases,
    bench: Bench,
    scorer: ExperimentJudge | Engine,
    folder: ExperimentFolder,
    *,
    library: str = "",
    seed: int,
    at_once: int = 1,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> ExperimentReport:
    """Ask, score and compare; ``scorer`` is a judge, or the engine whose parts read and attribute claims.

    ``library`` stands for what is in the library. Answers and scores that ``folder`` holds are taken from there.

    Raises:
        InvalidInput: the folder holds answers to something else.
        Unavailable: a chat server does not answer any more; what was done before is kept.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    asked_revision = folder.claim(identity_of(experiment, cases, bench.models, library=library))
    answers, failures = await ask_all(experiment, cases.cases, bench, folder, at_once=at_once, on_progress=on_progress)
    by_key = {case.key: case for case in cases.cases}
    if isinstance(scorer, ExperimentJudge):
        graded, unscored = await grade_answers(
            experiment, by_key, answers, scorer, folder, at_once=at_once, on_progress=on_progress
        )
        findings = _judged(experiment, cases, answers, graded, scorer, seed)
    else:
        attributed, unscored = await attribute_answers(
            by_key, answers, scorer, folder, at_once=at_once, on_progress=on_progress
        )
        findings = _attributed(experiment, cases, tuple(attributed.values()), scorer, seed)
    return ExperimentReport(
        experiment=experiment,
        revision=revision(),
        asked_revision=asked_revision,
        machine=machine(),
        begun=begun,
        seed=seed,
        cases_file=str(cases.path),
        cases_sha256=cases.sha256,
        cases=len(cases.cases),
        questions=len({case.id for case in cases.cases}),
        conditions=cases.conditions,
        counts=_counts(experiment, cases.cases, bench.models, answers, (*failures, *unscored)),
        findings=findings,
        failures=(*failures, *unscored),
        notes=(*cases.notes, *_notes(experiment)),
    )


def _judged(
    experiment: Experiment,
    cases: ExperimentCases,
    answers: Sequence[ArmAnswer],
    graded: Mapping[str, Mapping[str, float]],
    judge: ExperimentJudge,
    seed: int,
) -> Findings:
    table = grade_table(answers, graded, {case.key: case.condition for case in cases.cases})
    figures = grade_figures(table, [arm.name for arm in experiment.arms], cases.conditions, seed=seed)
    differences = compare_arms(experiment, cases.conditions, METRICS["judge"], grade_differences(table, seed=seed))
    return Findings(
        scorer=judge.name,
        figures=figures,
        differences=differences,
        hypotheses=hold_hypotheses(experiment, cases.conditions, differences),
        calibration=judge.calibration,
        agreement=judge.agreement,
        plots=_weighted_plot(experiment, figures),
    )


def _attributed(
    experiment: Experiment,
    cases: ExperimentCases,
    responses: Sequence[AttributedResponse],
    engine: Engine,
    seed: int,
) -> Findings:
    report = make_report(responses, engine=engine.name, model=engine.model, seed=seed) if responses else None
    table = claim_table(responses)
    arms = [arm.name for arm in experiment.arms]
    differences = compare_arms(
        experiment, cases.conditions, (*METRICS["trifex"], *ROUGE), claim_differences(table, seed=seed)
    )
    return Findings(
        scorer=f"TRIFEX, {engine.name} ({engine.model})",
        figures=claim_figures(report.cells if report else (), table, arms, cases.conditions, seed=seed),
        differences=differences,
        hypotheses=hold_hypotheses(experiment, cases.conditions, differences),
        decomposition=report.decomposition if report else None,
        not_decomposed=report.not_decomposed if report else "no answer was scored",
        unsupported=report.unsupported if report else (),
        plots=report.figures if report else (),
    )


def _weighted_plot(experiment: Experiment, figures: Sequence[ArmFigure]) -> tuple[Figure, ...]:
    rows = [
        (" / ".join(filter(None, (experiment.arm(each.arm).label, each.condition))), *_reach(each))
        for each in figures
        if each.metric == WEIGHTED and each.value is not None
    ]
    return (bars_with_intervals(rows, "Weighted grades, 1 to 5, by arm"),) if rows else ()


def _reach(figure: ArmFigure) -> tuple[float, float, float]:
    value = figure.value or 0.0
    return (value, figure.interval.low, figure.interval.high) if figure.interval else (value, value, value)


def _counts(
    experiment: Experiment,
    cases: Sequence[ExperimentCase],
    models: Mapping[str, str],
    answers: Sequence[ArmAnswer],
    failures: Sequence[Failure],
) -> tuple[ArmCounts, ...]:
    found = []
    for arm in experiment.arms:
        own = [each for each in answers if each.arm == arm.name]
        outcomes = [each.outcome for each in own]
        stages = [each.stage for each in failures if each.arm == arm.name]
        found.append(
            ArmCounts(
                arm=arm.name,
                model=models[arm.name],
                asked=len(cases) * len(experiment.seeds),
                answered=outcomes.count("answered"),
                declined=outcomes.count("declined"),
                empty=outcomes.count("empty"),
                cut=sum(each.cut for each in own),
                failed=stages.count("asked"),
                not_scored=stages.count("scored"),
                median_ms=statistics.median(each.milliseconds for each in own) if own else 0.0,
            )
        )
    return tuple(found)


def _notes(experiment: Experiment) -> tuple[str, ...]:
    notes = []
    embedded = [arm.label for arm in experiment.arms if arm.model == EMBEDDED]
    if embedded:
        named = "; ".join(embedded)
        notes.append(f"answered by the embedded engine, so no language model wrote and none was trained: {named}")
    prompts = {arm.prompt for arm in experiment.arms if arm.prompt}
    if len(prompts) > 1:
        notes.append("the arms have prompts of their own: a difference between them is one of the prompts too")
    if experiment.scorer == "trifex":
        notes.append("a declined or empty answer claims nothing: it counts in the recall and in no share of claims")
        notes.append("BERTScore is not computed here: it needs a model of its own; ROUGE stands for such metrics")
    else:
        seen = {
            "all": "the passages that hold the answer and all that any arm read for it, the same for each arm",
            "gold": "the passages that hold the answer, whatever the arm read",
            "read": "what the arm itself read: arms that read more are held against more",
        }
        notes.append(f"the judge sees {seen[experiment.judged_on]}; declined and empty answers are graded like others")
    return tuple(notes)
