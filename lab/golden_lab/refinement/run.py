"""Run a study: write every text, judge the pairs, and combine the results; every outcome is stored immediately."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from contracts.errors import InvalidInput
from evaluation.revision import machine, revision
from golden_lab.digests import digest_of_code
from golden_lab.judge.grades import AnswerComparer
from golden_lab.outcomes import OutcomeStore
from golden_lab.refinement.analysis import Study, StudyPlan, analyse, threshold_of
from golden_lab.refinement.attribution import METHOD
from golden_lab.refinement.cases import StudyCases
from golden_lab.refinement.conditions import StudyParts, outcome_id, run_case
from golden_lab.refinement.judged_pairs import judge_pair, judgement_id, pairs_to_judge
from golden_lab.refinement.writers import TEMPERATURE
from golden_lab.results import Outcome

OnProgress = Callable[[str, int, int], None]


async def run_study(
    study: StudyCases,
    parts: StudyParts,
    plan: StudyPlan,
    *,
    work: Path,
    comparer: AnswerComparer | None = None,
    judge: str = "",
    on_progress: OnProgress = lambda stage, done, total: None,
) -> Study:
    """Write, measure, judge and combine; outcomes in ``work`` from the same code, cases and model are reused.

    ``on_progress`` receives the stage, the number of finished outcomes, and the total number.

    Raises:
        InvalidInput: there are no seeds, two seeds are equal, or the quantile is not between 0 and 1.
        Unavailable: a chat server did not answer; finished work is kept.
    """
    if not plan.seeds or len(set(plan.seeds)) < len(plan.seeds) or not 0 < plan.quantile < 1:
        raise InvalidInput("a study needs different seeds, and a quantile between 0 and 1", field="seeds")
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    flags = METHOD if parts.flag else "labels, or cited passages that bear nothing out"
    key = _digest(digest_of_code(), parts.chat.model, TEMPERATURE, flags, study.cases)
    texts = {
        outcome_id(case, seed): partial(run_case, case, seed, parts) for seed in plan.seeds for case in study.cases
    }
    written = await _stored(texts, "writing", work, key, on_progress)
    shapes = list(dict.fromkeys(str(case.shape) for case in study.cases))
    rows = {shape: [each.values for each in written.values() if each.values["shape"] == shape] for shape in shapes}
    thresholds = {shape: threshold_of(rows[shape], plan.quantile) for shape in shapes}
    judged: Mapping[str, Outcome] | None = None
    if comparer:
        by_name = {(str(case.shape), case.id): case for case in study.cases}
        pairs = {
            judgement_id(each, pair): partial(judge_pair, comparer, by_name[shape, each["case"]], each, pair)
            for shape in shapes
            for each in rows[shape]
            if each["seed"] == plan.seeds[0]
            for pair in pairs_to_judge(each, thresholds[shape])
        }
        judged = await _stored(pairs, "judging", work, _digest(key, judge), on_progress)
    return Study(
        revision=revision(),
        machine=machine(),
        begun=begun,
        model=parts.chat.model,
        temperature=TEMPERATURE,
        judge=judge if comparer else "",
        flags=flags,
        plan=plan,
        notes=study.notes,
        shapes=tuple(analyse(shape, rows[shape], judged, threshold=thresholds[shape], plan=plan) for shape in shapes),
    )


async def _stored(
    jobs: Mapping[str, Callable[[], Awaitable[Outcome]]], stage: str, work: Path, key: str, on_progress: OnProgress
) -> dict[str, Outcome]:
    """Return the outcome of each job by id; jobs without an outcome stored under ``key`` are run first."""
    with OutcomeStore(work).open(f"refinement-study-{stage}", key) as log:
        for done, (id_, job) in enumerate(jobs.items()):
            on_progress(stage, done, len(jobs))
            if id_ not in log.stored:
                log.append(await job(), 0.0)
        on_progress(stage, len(jobs), len(jobs))
        return {id_: log.stored[id_].outcome for id_ in jobs}


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
