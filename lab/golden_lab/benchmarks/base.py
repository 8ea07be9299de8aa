"""What every benchmark has in common: what it is about, its cases, what measures one, and the scores."""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from evaluation.results import About, Outcome, Published, Scores, SplitUse
from golden_lab.engine import Engine
from golden_lab.run import Run


class HasId(Protocol):
    """A case of any form: it has an id that is its own within the benchmark, the same in every run."""

    @property
    def id(self) -> str:
        """The id."""
        ...


Case = TypeVar("Case", bound=HasId)
Measure = Callable[[Case], Awaitable[Outcome]]
Opened = AsyncIterator[Measure[Case]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet(Generic[Case]):
    """The cases of a run. ``note`` says what was sampled or pooled ("300 of 3,356 answers, seed 7"), "" for all."""

    cases: tuple[Case, ...]
    note: str = ""


def sampled(rows: Sequence[Case], size: int, run: Run, what: str) -> CaseSet[Case]:
    """Return ``size`` of ``rows`` drawn by the run's seed, all of them where it is full, noted as so many ``what``."""
    kept = run.sample(rows, size)
    return CaseSet(cases=kept, note=run.sample_note(len(kept), len(rows), what))


@dataclass(frozen=True, kw_only=True)
class Benchmark(ABC, Generic[Case]):
    """Scores a judgement, or the whole bot, on a data set. ``name`` is its entry in catalogue.toml."""

    name: str

    @property
    def about(self) -> About:
        """What it measures, on what."""
        return about(self.name)

    @abstractmethod
    def load(self, run: Run) -> CaseSet[Case]:
        """Read the cases below ``run.data``; a large set is sampled by ``run.sample`` unless the run is full.

        Raises:
            InvalidInput: a file is not there or not of its form; the text names it.
        """

    @abstractmethod
    def prepare(self, cases: CaseSet[Case], engine: Engine, run: Run) -> AbstractAsyncContextManager[Measure[Case]]:
        """Make ready what all cases need (an index over a corpus) and yield what measures one case."""

    @abstractmethod
    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Put the outcomes of all cases together. Pure: equal outcomes and seed make equal scores."""


class CaseBenchmark(Benchmark[Case]):
    """A benchmark of which nothing has to be made ready before its cases."""

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[Case], engine: Engine, run: Run) -> Opened[Case]:
        """Yield what measures one case."""
        yield partial(self.measure, engine=engine)

    @abstractmethod
    async def measure(self, case: Case, engine: Engine) -> Outcome:
        """Measure one case."""


def about(name: str) -> About:
    """Return what catalogue.toml says of the benchmark ``name``."""
    entry = _catalogue()[name]
    parts = {"name": name, "uses": tuple(map(_use, entry.get("uses", ()))), "published": _figures(name)}
    return About(**{**entry, **parts})


@cache
def _catalogue() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))


def _use(text: str) -> SplitUse:
    file, _, part = text.partition(" (")
    return SplitUse(file=file, part=cast(Literal["all", "fit", "score"], part.rstrip(")") or "all"))


def _figures(name: str) -> tuple[Published, ...]:
    tables = _catalogue()[name].get("published", ())
    if isinstance(tables, str):
        return _figures(tables)
    return tuple(
        Published(
            metric=metric,
            value=float(value),
            system=system,
            source=table["source"],
            subset=table.get("subset", ""),
            differs=table.get("differs", ""),
        )
        for table in tables
        for metric, value, system in table["figures"]
    )
