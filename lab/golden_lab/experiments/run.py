"""Run an experiment: ask every arm, score the answers, and compare the arms. Finished work is not repeated."""

import hashlib
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evaluation.revision import machine, revision
from golden_lab.engine import Engine
from golden_lab.experiments.answers import ArmAnswer, ArmServices, Failure, OnProgress, ask_all
from golden_lab.experiments.cases import ExperimentCase, conditions_of
from golden_lab.experiments.claims import attribute_answers, claim_scores
from golden_lab.experiments.figures import ArmDifference, ArmFigure, arm_differences, arm_figures
from golden_lab.experiments.form import EMBEDDED, Experiment
from golden_lab.experiments.grades import grade_answers, grade_scores
from golden_lab.outcomes import OutcomeStore
from golden_lab.triples.metrics import Decomposition
from golden_lab.triples.report import TrifexReport, UnsupportedClaim, make_report


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCounts:
    """The outcomes of an arm's questions.

    ``cut`` answers reached the maximum number of tokens; ``repeating`` answers were stopped for repeating themselves.
    """

    arm: str
    model: str
    asked: int
    answered: int
    declined: int
    empty: int
    cut: int
    repeating: int
    failed: int
    not_scored: int
    median_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReport:
    """The results of an experiment, and everything that they depend on.

    ``seed`` is the seed of the bootstrap. The decomposition (or the reason that there is none) and the ``unsupported``
    claims come from TRIFEX.
    """

    experiment: Experiment
    revision: str
    machine: str
    begun: str
    seed: int
    cases_file: str
    cases_sha256: str
    cases: int
    questions: int
    conditions: tuple[str, ...]
    counts: tuple[ArmCounts, ...]
    scorer: str
    figures: tuple[ArmFigure, ...]
    differences: tuple[ArmDifference, ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    decomposition: Decomposition | None = None
    not_decomposed: str = ""
    unsupported: tuple[UnsupportedClaim, ...] = ()


async def run_experiment(
    experiment: Experiment,
    cases: tuple[ExperimentCase, ...],
    file: Path,
    bench: ArmServices,
    engine: Engine,
    folder: Path,
    *,
    seed: int,
    at_once: int = 1,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> ExperimentReport:
    """Ask, score with ``engine`` and compare; answers and scores that are already in ``folder`` are reused.

    ``file`` contains the cases.

    Raises:
        Unavailable: a chat server no longer answers; finished work is kept.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    store, by_key = OutcomeStore(folder), {case.key: case for case in cases}
    answers, failures = await ask_all(experiment, cases, bench, store, at_once=at_once, on_progress=on_progress)
    trifex: TrifexReport | None = None
    if experiment.scorer == "judge":
        table, unscored = await grade_answers(by_key, answers, engine, store, at_once=at_once, on_progress=on_progress)
        scores = grade_scores(table, cases, seed=seed)
    else:
        responses, unscored = await attribute_answers(
            by_key, answers, engine, store, at_once=at_once, on_progress=on_progress
        )
        if responses:
            trifex = make_report(responses, engine=engine.name, model=engine.model, seed=seed)
        scores = claim_scores(responses, trifex.cells if trifex else (), seed=seed)
    conditions = conditions_of(cases)
    return ExperimentReport(
        experiment=experiment,
        revision=revision(),
        machine=machine(),
        begun=begun,
        seed=seed,
        cases_file=str(file),
        cases_sha256=_sha256(file),
        cases=len(cases),
        questions=len({case.id for case in cases}),
        conditions=conditions,
        counts=_counts(experiment, len(cases), bench, answers, (*failures, *unscored)),
        scorer=f"{'the judge' if experiment.scorer == 'judge' else 'TRIFEX'}, {engine.name} ({engine.model})",
        figures=arm_figures(scores, [arm.name for arm in experiment.arms], conditions),
        differences=arm_differences(scores, experiment.pairs, conditions),
        failures=(*failures, *unscored),
        notes=_notes(experiment),
        decomposition=trifex.decomposition if trifex else None,
        not_decomposed=trifex.not_decomposed if trifex else "no answer was scored",
        unsupported=trifex.unsupported if trifex else (),
    )


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _counts(
    experiment: Experiment, asked: int, bench: ArmServices, answers: Sequence[ArmAnswer], failures: Sequence[Failure]
) -> tuple[ArmCounts, ...]:
    found = []
    for arm in experiment.arms:
        own = [each for each in answers if each.arm == arm.name]
        outcomes = [each.outcome for each in own]
        stages = [each.stage for each in failures if each.arm == arm.name]
        found.append(
            ArmCounts(
                arm=arm.name,
                model=bench.models[arm.name],
                asked=asked,
                answered=outcomes.count("answered"),
                declined=outcomes.count("declined"),
                empty=outcomes.count("empty"),
                cut=sum(each.cut for each in own),
                repeating=sum(each.repeating for each in own),
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
        notes.append(f"Answered by the embedded engine, so no language model wrote and none was trained: {named}.")
    if len({arm.prompt for arm in experiment.arms if arm.prompt}) > 1:
        notes.append("The arms have prompts of their own: a difference between them is one of the prompts too.")
    if experiment.scorer == "trifex":
        notes.append("A declined or empty answer claims nothing: it counts in the recall and in no share of claims.")
        notes.append("BERTScore is not computed: it needs a model of its own; ROUGE stands for such metrics.")
    else:
        notes.append(
            "The judge sees the passages that hold the answer and all that any arm read for it, the same for each arm; "
            "declined and empty answers are graded like others."
        )
    return tuple(notes)
