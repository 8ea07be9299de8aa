"""Measure each judgement without and with a trained encoder, case by case, in turns, in one process."""

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.report.values import median
from evaluation.run import Run
from evaluation.runner import Progress
from evaluation.splits import half
from evaluation.statistics.intervals import Interval, bootstrap
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.encoders.judged import JUDGED, Judged
from golden_lab.engine import Engine
from tools.encoder.card import CARD_FILE, WEIGHTS_FILE
from tools.encoder.joining import CALIBRATION_FILE

_MODULES = ("identification", "relevance", "answerability", "hallucination")
# Sets of which a half is learnt from, or says when to stop, where an encoder is trained: the other half is scored.
_HALVED = ("mtrag", "squad2", "wice", "expertqa", "begin")
_TIMED = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Milliseconds a case, medians: on the clock, and of all threads' processor time."""

    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One benchmark of a judgement: its ``metric`` without the encoder and with it, and the difference with interval.

    ``cases`` questions, answers or texts of ``groups`` that hang together; groups are what the interval draws.
    """

    judgement: str
    benchmark: str
    metric: str
    cases: int
    groups: int
    before: float
    after: float
    difference: Interval
    spent_before: Spent
    spent_after: Spent
    published: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderReport:
    """What an encoder brings. ``bytes`` is the size of its weights; ``seed`` drew the samples and the intervals."""

    encoder: str
    embedder: str
    bytes: int
    seed: int
    compared: tuple[Compared, ...]

    def is_better(self, judgement: str) -> bool:
        """Say whether a benchmark of ``judgement`` is better by more than its interval, and none is worse by that."""
        differences = [each.difference for each in self.compared if each.judgement == judgement]
        return any(each.low > 0 for each in differences) and not any(each.high < 0 for each in differences)


async def measure_encoder(
    before: Engine,
    after: Engine,
    run: Run,
    weights: Path,
    encoder: str,
    *,
    only: Sequence[str] = (),
    most: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> EncoderReport:
    """Measure the judgements named in ``only`` (all of them where it is empty), benchmark after benchmark.

    ``most`` bounds the cases of each benchmark, drawn by the run's seed.

    Raises:
        InvalidInput: data of a benchmark is not there or not of its form.
    """
    benchmarks = {each.about.name: each for each in load_benchmarks(_MODULES).benchmarks}
    chosen = [judged for judged in JUDGED if not only or judged.judgement in only]
    compared = []
    for number, judged in enumerate(chosen, start=1):

        def tell(done: int, cases: int, name: str = judged.benchmark, number: int = number) -> None:
            on_progress(
                Progress(benchmark=name, number=number, benchmarks=len(chosen), done=done, cases=cases, stored=0)
            )

        compared.append(await _compare(judged, benchmarks[judged.benchmark], (before, after), run, tell, most))
    return EncoderReport(
        encoder=encoder,
        embedder=before.embedder.name,
        bytes=_size(weights),
        seed=run.seed,
        compared=tuple(compared),
    )


def _size(folder: Path) -> int:
    """Return the bytes of what judgements need of ``folder``: a training leaves more there."""
    needed = [folder / name for name in (WEIGHTS_FILE, CARD_FILE, CALIBRATION_FILE, "tokenizer.json")]
    return sum(file.stat().st_size for file in needed if file.is_file())


async def _compare(
    judged: Judged,
    benchmark: Any,
    engines: tuple[Engine, Engine],
    run: Run,
    tell: Callable[[int, int], None],
    most: int | None,
) -> Compared:
    cases = benchmark.load(replace(run, full=True) if judged.everything else run)
    folder = benchmark.about.uses[0].file.split("/")[0]
    kept = [case for case in cases.cases if folder not in _HALVED or half(folder, group_of(case)) == "score"]
    kept = kept if most is None else list(run.sample(kept, most))
    async with AsyncExitStack() as stack:
        ask = [await stack.enter_async_context(benchmark.prepare(cases, engine, run)) for engine in engines]
        outcomes: list[list[Any]] = [[], []]
        for done, case in enumerate(kept, start=1):
            for at in (0, 1):
                outcomes[at].append((await ask[at](case)).values)
            tell(done, len(kept))
        # Once more: by now the vectors of these passages are at hand, as they are in a server that was asked before.
        spent = await _time(ask, kept[-_TIMED:])
    groups = [group_of(case) for case in kept]
    return _compared(judged, outcomes, groups, spent, run.seed)


async def _time(ask: Sequence[Any], cases: Sequence[Any]) -> tuple[Spent, Spent]:
    taken: list[list[tuple[float, float]]] = [[], []]
    for number, case in enumerate(cases):
        for at in (0, 1) if number % 2 else (1, 0):
            wall, cpu = time.perf_counter(), time.process_time()
            await ask[at](case)
            taken[at].append(((time.perf_counter() - wall) * 1_000, (time.process_time() - cpu) * 1_000))
    first, second = (
        Spent(wall_ms=median([wall for wall, _ in each]), cpu_ms=median([cpu for _, cpu in each])) for each in taken
    )
    return first, second


def _compared(
    judged: Judged, outcomes: Sequence[Sequence[Any]], groups: Sequence[str], spent: tuple[Spent, Spent], seed: int
) -> Compared:
    tables = [[judged.rows(values) for values in each] for each in outcomes]
    of_rows = [group for group, rows in zip(groups, tables[0], strict=True) for _ in rows]
    before, after = (np.array([row for rows in table for row in rows], dtype=np.float64) for table in tables)

    def difference(drawn: NDArray[np.intp]) -> float:
        return judged.figure(after[drawn]) - judged.figure(before[drawn])

    return Compared(
        judgement=judged.judgement,
        benchmark=judged.benchmark,
        metric=judged.metric,
        cases=len(groups),
        groups=len(set(groups)),
        before=judged.figure(before),
        after=judged.figure(after),
        difference=bootstrap(difference, len(before), seed=seed, groups=of_rows, resamples=2_000),
        spent_before=spent[0],
        spent_after=spent[1],
        published=judged.published,
    )


def group_of(case: Any) -> str:
    """Return what a benchmark's case hangs together with: its conversation, article or page, or itself alone."""
    inner = getattr(case, "case", case)
    return str(getattr(inner, "group", case.id))
