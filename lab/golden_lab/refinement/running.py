"""Run a study: write every text, judge the pairs, put it together; every outcome is stored at once."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from contracts.errors import InvalidInput
from evaluation.results import Outcome
from evaluation.revision import machine, revision
from golden_lab.digests import digest_of_code
from golden_lab.judge.base import AnswerComparer
from golden_lab.outcomes import OutcomeStore
from golden_lab.refinement.analysing import Study, StudyPlan, analyse, threshold_of
from golden_lab.refinement.attribution import METHOD
from golden_lab.refinement.cases import StudyCase, StudyCases
from golden_lab.refinement.conditions import StudyParts, outcome_id, run_case
from golden_lab.refinement.measuring import judge_pair, judgement_id, pairs_to_judge

_STUDY = "refinement-study"


async def run_study(
    study: StudyCases,
    parts: StudyParts,
    plan: StudyPlan,
    *,
    work: Path,
    comparer: AnswerComparer | None = None,
    judge: str = "",
    on_progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Study:
    """Write, measure, judge and put together; outcomes that ``work`` holds already are not made again.

    They are those of the same code, model, temperature and case. ``on_progress`` is told the stage, how many are done
    and how many there are.

    Raises:
        InvalidInput: there is no seed, or the quantile is none.
        Unavailable: a chat server did not answer; what was written before is kept.
    """
    if not plan.seeds or len(set(plan.seeds)) < len(plan.seeds) or not 0 < plan.quantile < 1:
        raise InvalidInput("a study needs seeds that differ, and a quantile between 0 and 1", field="seeds")
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    store, key = OutcomeStore(work), _key(parts)
    by_name = {(str(case.shape), case.id): case for case in study.cases}
    written = await _write(study.cases, parts, plan, store, key, on_progress)
    shapes = list(dict.fromkeys(str(case.shape) for case in study.cases))
    rows = {shape: [each.values for each in written if each.values["shape"] == shape] for shape in shapes}
    thresholds = {shape: threshold_of(rows[shape], plan.quantile) for shape in shapes}
    judged: Mapping[str, Outcome] = {}
    judged_seeds = plan.seeds[: plan.judged_seeds] if comparer is not None else ()
    if comparer is not None:
        wanted = [each for each in written if each.values["seed"] in judged_seeds]
        judged = await _judge(wanted, by_name, thresholds, comparer, store, f"{key}-{_short(judge)}", on_progress)
    return Study(
        revision=revision(),
        machine=machine(),
        begun=begun,
        model=parts.chat.model,
        temperature=parts.temperature,
        judge=judge if comparer is not None else "",
        flags=METHOD if parts.flag is not None else "labels, or cited passages that bear nothing out",
        plan=plan,
        notes=study.notes,
        shapes=tuple(
            analyse(shape, rows[shape], judged, threshold=thresholds[shape], seed=plan.seed, judged_seeds=judged_seeds)
            for shape in shapes
        ),
    )


async def _write(
    cases: Sequence[StudyCase],
    parts: StudyParts,
    plan: StudyPlan,
    store: OutcomeStore,
    key: str,
    on_progress: Callable[[str, int, int], None],
) -> list[Outcome]:
    wanted = [(case, seed) for seed in plan.seeds for case in cases]
    with store.open(_STUDY, key) as log:
        for done, (case, seed) in enumerate(wanted):
            on_progress("writing", done, len(wanted))
            if _id(case, seed) not in log.stored:
                started = perf_counter()
                outcome = await run_case(case, seed, parts)
                log.append(
                    Outcome(id=_id(case, seed), values=outcome.values, trace=outcome.trace), perf_counter() - started
                )
        on_progress("writing", len(wanted), len(wanted))
        return [log.stored[_id(case, seed)].outcome for case, seed in wanted]


async def _judge(
    written: Sequence[Outcome],
    cases: Mapping[tuple[str, str], StudyCase],
    thresholds: Mapping[str, float],
    comparer: AnswerComparer,
    store: OutcomeStore,
    key: str,
    on_progress: Callable[[str, int, int], None],
) -> Mapping[str, Outcome]:
    wanted = [
        (each.values, pair)
        for each in written
        for pair in pairs_to_judge(each.values, thresholds[str(each.values["shape"])])
    ]
    with store.open(f"{_STUDY}-judged", key) as log:
        for done, (values, pair) in enumerate(wanted):
            on_progress("judging", done, len(wanted))
            if judgement_id(values, pair) not in log.stored:
                started = perf_counter()
                case = cases[values["shape"], values["case"]]
                log.append(await judge_pair(comparer, case, values, pair), perf_counter() - started)
        on_progress("judging", len(wanted), len(wanted))
        ids = [judgement_id(values, pair) for values, pair in wanted]
        return {id_: log.stored[id_].outcome for id_ in ids}


def _key(parts: StudyParts) -> str:
    """Name what the texts depend on besides case and seed."""
    signal = METHOD if parts.flag is not None else "labels"
    scored = "with S2" if parts.scorer is not None else "without S2"
    return _short(f"{digest_of_code()} {parts.chat.model} {parts.temperature} {signal} {scored}")


def _id(case: StudyCase, seed: int) -> str:
    """Name a case by what it holds: one that was changed is written anew."""
    content = [case.question, *(each.text for each in case.passages), str(case.relevant), str(case.short_answers)]
    return f"{outcome_id(case, seed)}/{_short(chr(0).join(content))}"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
