"""What the tests of benchmarks share: rows of a data set, and a run of one benchmark."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from golden_lab.benchmarks.base import Benchmark
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


async def measured(benchmark: Benchmark[Any], engine: Engine, run: Run) -> list[Outcome]:
    cases = benchmark.load(run)
    async with benchmark.prepare(cases, engine, run) as measure:
        return [await measure(case) for case in cases.cases]


async def measure_all(
    benchmark: Benchmark[Any], engine: Engine, run: Run
) -> tuple[dict[str, Outcome], Sequence[Score]]:
    outcomes = await measured(benchmark, engine, run)
    return {each.id: each for each in outcomes}, benchmark.score(outcomes, 7)


def value(scores: Sequence[Score], metric: str, *, system: str = "", subset: str = "") -> float:
    (found,) = (each for each in scores if (each.metric, each.system, each.subset) == (metric, system, subset))
    return found.value
