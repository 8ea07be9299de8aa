"""Runs benchmarks: load, prepare, measure case by case, store each outcome immediately, and score."""

import hashlib
import math
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contracts.errors import GoldenError, InvalidInput
from evaluation.revision import machine, revision
from golden_lab.benchmarks.base import Benchmark, CaseSet
from golden_lab.digests import digest_of_code, digest_of_data
from golden_lab.engine import Engine
from golden_lab.metrics.classification import reliability_bins
from golden_lab.outcomes import MeasuredOutcome, OutcomeLog, OutcomeStore
from golden_lab.plots import reliability_plot
from golden_lab.results import About, BenchmarkResult, Figure, Outcome, Report, Score, SplitUse, main_score, result_of
from golden_lab.run import Run
from golden_lab.splits import overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a run: benchmark ``number`` of ``benchmarks`` (counted from 1), ``done`` of its ``cases``.

    ``cases`` is None until the cases have been loaded and prepared. ``stored`` is how many an earlier run measured.
    """

    benchmark: str
    number: int
    benchmarks: int
    done: int = 0
    cases: int | None = None
    stored: int = 0


Show = Callable[[Progress], None]


async def run_benchmarks(
    benchmarks: Sequence[Benchmark[Any]],
    engine: Engine,
    run: Run,
    *,
    store: OutcomeStore,
    on_progress: Show = lambda progress: None,
) -> Report:
    """Measure ``engine`` with each benchmark, one case at a time, and return a report.

    A benchmark that cannot be measured is reported with the reason, and the others continue. The same applies to a
    benchmark that would score the data that its intrinsic was fitted on. Outcomes that are already in ``store``, from
    the same code, data, engine, seed and size, are not measured again.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    code = digest_of_code()
    results = []
    for number, benchmark in enumerate(benchmarks, start=1):
        at = Progress(benchmark=benchmark.about.name, number=number, benchmarks=len(benchmarks))
        results.append(await _run_one(benchmark, engine, run, store, code, at, on_progress))
    return Report(
        engine=engine.name,
        model=engine.model,
        revision=revision(),
        seed=run.seed,
        full=run.full,
        begun=begun,
        machine=machine(),
        benchmarks=tuple(results),
    )


async def _run_one(
    benchmark: Benchmark[Any], engine: Engine, run: Run, store: OutcomeStore, code: str, at: Progress, show: Show
) -> BenchmarkResult:
    about = benchmark.about
    show(at)
    begun = time.perf_counter()
    try:
        _refuse_fitted(about, engine.fitted_on)
        cases = benchmark.load(run)
        _refuse_doubles(cases)
        with store.open(about.name, _key(about, engine, run, code)) as log:
            measured = await _measure(benchmark, cases, engine, run, log, at, show)
        outcomes = [each.outcome for each in measured]
        scores = benchmark.score(outcomes, run.seed)
        main = main_score(about, scores)
        return result_of(
            about,
            outcomes,
            scores,
            figures=_figures(benchmark, outcomes),
            per_case=values_behind(main, outcomes) if main else {},
            note=cases.note,
            # Cases that an earlier run measured are included in the time.
            seconds=max(time.perf_counter() - begun, sum(each.seconds for each in measured)),
        )
    except Exception as error:
        # An error in one benchmark must not discard the results of the others; the report and the exit status show it.
        return BenchmarkResult(about=about, status="failed", reason=one_line(error))


def _figures(benchmark: Benchmark[Any], outcomes: Sequence[Outcome]) -> tuple[Figure, ...]:
    if benchmark.verdicts is None:
        return ()
    rows = benchmark.verdicts(outcomes)
    bins = reliability_bins([float(each["probability"]) for each in rows], [bool(each["truth"]) for each in rows])
    return (reliability_plot(bins, f"Reliability: {benchmark.about.title}"),)


def _refuse_fitted(about: About, fits: Mapping[str, tuple[SplitUse, ...]]) -> None:
    for fit in fits.get(about.intrinsic, ()):
        for use in about.uses:
            if overlap(fit, use):
                raise InvalidInput(
                    f"it would score {use.file} ({use.part}), on which {about.intrinsic} was fitted ({fit.part}): "
                    "score or fit a different part"
                )


def _refuse_doubles(cases: CaseSet[Any]) -> None:
    ids = [case.id for case in cases.cases]
    if not ids:
        raise InvalidInput("there are no cases to measure: is the data set empty?")
    if len(set(ids)) < len(ids):
        double = next(each for at, each in enumerate(ids) if each in ids[:at])
        raise InvalidInput(f'two cases have the id "{double}": ids must be unique')


def _key(about: About, engine: Engine, run: Run, code: str) -> str:
    parts = (
        repr(about),
        digest_of_data(run.data, about.uses),
        engine.name,
        engine.model,
        repr(engine.judges.policy),
        code,
        str(run.seed),
        str(run.full),
        str(run.largest_sample),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


async def _measure(
    benchmark: Benchmark[Any], cases: CaseSet[Any], engine: Engine, run: Run, log: OutcomeLog, at: Progress, show: Show
) -> list[MeasuredOutcome]:
    """Return the outcomes in the order of the cases."""
    waiting = [case for case in cases.cases if case.id not in log.stored]
    stored = len(cases.cases) - len(waiting)
    at = replace(at, done=stored, cases=len(cases.cases), stored=stored)
    if waiting:
        async with benchmark.prepare(cases, engine, run) as measure:
            show(at)
            for done, case in enumerate(waiting, start=stored + 1):
                begun = time.perf_counter()
                outcome: Outcome = await measure(case)
                if outcome.id != case.id:
                    raise ValueError(f"case {case.id} came back as {outcome.id}")
                log.append(outcome, time.perf_counter() - begun)
                show(replace(at, done=done))
    else:
        show(at)
    return [log.stored[case.id] for case in cases.cases]


def values_behind(score: Score, outcomes: Sequence[Outcome]) -> Mapping[str, float]:
    """Return, by case id, the values whose mean is ``score``; nothing if no such values are found.

    The search covers all outcomes, then those with the score's subset among their values. It tries the number stored
    under the names of the system and the metric, then 1 - loss, then loss. Values are returned only if there are
    ``score.n`` of them and their mean is ``score.value``, so that paired comparisons use exactly this score.
    """
    readings: tuple[Callable[[Outcome], Any], ...] = (
        lambda outcome: _below(outcome.values.get(score.system), score.metric),
        lambda outcome: outcome.values.get(score.metric),
        lambda outcome: 1.0 - outcome.loss,
        lambda outcome: outcome.loss,
    )
    of_subset = [each for each in outcomes if score.subset and score.subset in each.values.values()]
    for chosen in (outcomes, of_subset):
        for read in readings:
            found = {each.id: read(each) for each in chosen}
            values = {case: float(value) for case, value in found.items() if _is_number(value)}
            if values and len(values) == score.n and math.isclose(_mean(values), score.value, abs_tol=1e-9):
                return values
    return {}


def one_line(error: Exception) -> str:
    """Describe ``error``: an expected one by its message, any other also by its class and the line that raised it."""
    if isinstance(error, GoldenError):
        return str(error)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).is_file()]
    where = f" ({'/'.join(Path(frames[-1].filename).parts[-3:])}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


def _below(value: Any, metric: str) -> Any:
    return value.get(metric) if isinstance(value, Mapping) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _mean(values: Mapping[str, float]) -> float:
    return math.fsum(values.values()) / len(values)
