"""Run benchmarks: load, prepare, measure case by case with every outcome stored at once, score."""

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from contracts.errors import InvalidInput
from evaluation.benchmark import About, Benchmark, CaseSet, Outcome, Score, Scores
from evaluation.engine import MeasuredEngine
from evaluation.report.values import BenchmarkResult, Report, WorstCase, main_score, median, percentile_95
from evaluation.run import Run
from evaluation.running.failures import one_line
from evaluation.running.outcomes import MeasuredOutcome, OutcomeLog, OutcomeStore
from evaluation.running.per_case import values_behind
from evaluation.running.revision import digest_of_benchmark, digest_of_data, digest_of_product, machine, revision
from evaluation.splits import SplitUse, overlap

WORST_CASES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands: benchmark ``number`` of ``benchmarks`` (from 1), ``done`` of its ``cases``.

    ``cases`` is None while they are being loaded and prepared. ``stored`` of the cases were measured by an earlier run.
    """

    benchmark: str
    number: int
    benchmarks: int
    done: int = 0
    cases: int | None = None
    stored: int = 0


async def run_benchmarks(
    benchmarks: Sequence[Benchmark[Any]],
    engine: MeasuredEngine,
    run: Run,
    *,
    store: OutcomeStore,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    fitted: Mapping[str, tuple[SplitUse, ...]] | None = None,
    not_loaded: Mapping[str, str] | None = None,
) -> Report:
    """Measure ``engine`` by each benchmark, one case at a time, and report.

    A benchmark that cannot be measured is reported with its reason and the others go on; so is one that would score a
    part of a data set that its intrinsic is fitted on, as ``fitted`` says (default: what the engine says of itself).
    Outcomes that ``store`` already holds, of the same code, data, engine, seed and size, are not measured again.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    product = digest_of_product()
    fits = engine.fitted_on if fitted is None else fitted
    results = []
    for number, benchmark in enumerate(benchmarks, start=1):
        at = _Place(number=number, benchmarks=len(benchmarks), show=on_progress)
        results.append(await _run_one(benchmark, engine, run, store, product, fits, at))
    return Report(
        engine=engine.name,
        model=engine.model,
        revision=revision(),
        seed=run.seed,
        full=run.full,
        begun=begun,
        machine=machine(),
        benchmarks=tuple(results),
        not_loaded=dict(not_loaded or {}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    number: int
    benchmarks: int
    show: Callable[[Progress], None]

    def tell(self, name: str, **where: int) -> None:
        self.show(Progress(benchmark=name, number=self.number, benchmarks=self.benchmarks, **where))


async def _run_one(
    benchmark: Benchmark[Any],
    engine: MeasuredEngine,
    run: Run,
    store: OutcomeStore,
    product: str,
    fits: Mapping[str, tuple[SplitUse, ...]],
    at: _Place,
) -> BenchmarkResult:
    about = benchmark.about
    at.tell(about.name)
    begun = time.perf_counter()
    try:
        _refuse_fitted(about, fits)
        cases = benchmark.load(run)
        _refuse_doubles(cases)
        with store.open(about.name, _key(benchmark, engine, run, product)) as log:
            waited = time.perf_counter() - begun
            measured, prepared_s = await _measure(benchmark, cases, engine, run, log, at)
        begun = time.perf_counter()
        scores = benchmark.score([each.outcome for each in measured], run)
        spent = waited + prepared_s + (time.perf_counter() - begun)
        return _result(about, cases, measured, scores, spent)
    except Exception as error:
        # What breaks in one benchmark must not cost the results of the others: report and exit status say so.
        return BenchmarkResult(about=about, status="failed", reason=one_line(error))


def _refuse_fitted(about: About, fits: Mapping[str, tuple[SplitUse, ...]]) -> None:
    for fit in fits.get(about.intrinsic, ()):
        for use in about.uses:
            if overlap(fit, use):
                raise InvalidInput(
                    f"it would score {use.file} ({use.part}), on which {about.intrinsic} is fitted ({fit.part}): "
                    "score another part, or fit on another"
                )


def _refuse_doubles(cases: CaseSet[Any]) -> None:
    ids = [case.id for case in cases.cases]
    if not ids:
        raise InvalidInput("there is no case to measure: is the data set empty?")
    if len(set(ids)) < len(ids):
        double = next(each for at, each in enumerate(ids) if each in ids[:at])
        raise InvalidInput(f'two cases have the id "{double}": an id names one case')


def _key(benchmark: Benchmark[Any], engine: MeasuredEngine, run: Run, product: str) -> str:
    about = benchmark.about
    parts = (
        about.name,
        repr(about),
        digest_of_benchmark(benchmark),
        digest_of_data(run.data, about.uses),
        engine.name,
        engine.model,
        repr(engine.judges.policy),
        product,
        str(run.seed),
        str(run.full),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


async def _measure(
    benchmark: Benchmark[Any], cases: CaseSet[Any], engine: MeasuredEngine, run: Run, log: OutcomeLog, at: _Place
) -> tuple[list[MeasuredOutcome], float]:
    """Return the outcomes in the order of the cases, and the seconds that preparing took."""
    name, total = benchmark.about.name, len(cases.cases)
    waiting = [case for case in cases.cases if case.id not in log.stored]
    stored = total - len(waiting)
    prepared_s = 0.0
    if waiting:
        begun = time.perf_counter()
        async with benchmark.prepare(cases, engine, run) as measure:
            prepared_s = time.perf_counter() - begun
            at.tell(name, done=stored, cases=total, stored=stored)
            for done, case in enumerate(waiting, start=stored + 1):
                begun = time.perf_counter()
                outcome: Outcome = await measure(case)
                if outcome.id != case.id:
                    raise ValueError(f"case {case.id} came back as {outcome.id}")
                log.append(outcome, time.perf_counter() - begun)
                at.tell(name, done=done, cases=total, stored=stored)
    else:
        at.tell(name, done=total, cases=total, stored=stored)
    return [log.stored[case.id] for case in cases.cases], prepared_s


def _result(
    about: About, cases: CaseSet[Any], measured: Sequence[MeasuredOutcome], scores: Scores, spent_s: float
) -> BenchmarkResult:
    outcomes = [each.outcome for each in measured]
    seconds = [each.seconds for each in measured]
    kept = tuple(score for score in scores.scores if _is_a_number(score))
    lost = [f"{_row(score)} has no value" for score in scores.scores if not _is_a_number(score)]
    main = main_score(about, kept)
    if main is None:
        row = _row(Score(metric=about.metric, subset=about.metric_subset, system=about.metric_system, **_NOTHING))
        lost.append(f"{row}, which sums the benchmark up, was not scored")
    worst = sorted((each for each in outcomes if each.loss > 0), key=lambda each: (-each.loss, each.id))[:WORST_CASES]
    return BenchmarkResult(
        about=about,
        status="scored",
        note="; ".join(filter(None, (cases.note, *lost))),
        cases=len(outcomes),
        case_digest=hashlib.sha256("\0".join(sorted(each.id for each in outcomes)).encode()).hexdigest()[:16],
        scores=kept,
        figures=scores.figures,
        worst=tuple(WorstCase(id=each.id, loss=each.loss, trace=each.trace) for each in worst),
        per_case=values_behind(main, outcomes) if main else {},
        seconds=spent_s + sum(seconds),
        median_case_s=median(seconds),
        p95_case_s=percentile_95(seconds),
    )


_NOTHING: dict[str, Any] = {"value": 0.0, "low": 0.0, "high": 0.0, "n": 0}


def _is_a_number(score: Score) -> bool:
    return all(math.isfinite(each) for each in (score.value, score.low, score.high))


def _row(score: Score) -> str:
    return " ".join(filter(None, (score.metric, score.subset, score.system)))
