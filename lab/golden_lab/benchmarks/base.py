"""The parts of every benchmark: a description, the cases, the function that measures one case, and the scores."""

import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

from golden_lab.datasets.cases import Case as Question
from golden_lab.engine import Engine
from golden_lab.results import About, Outcome, Published, Score, SplitUse
from golden_lab.run import Run

# A case of any type with an ``id`` that is unique in the benchmark and the same in every run.
Case = TypeVar("Case")
Measure = Callable[[Case], Awaitable[Outcome]]
Opened = AsyncIterator[Measure[Case]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet(Generic[Case]):
    """The cases of a run. ``note`` describes how they were sampled or pooled ("300 of 3,356 answers, seed 7")."""

    cases: tuple[Case, ...]
    note: str = ""


Prepare = Callable[[CaseSet[Case], Engine, Run], AbstractAsyncContextManager[Measure[Case]]]


@dataclass(frozen=True, kw_only=True)
class Benchmark(Generic[Case]):
    """Scores a judgement, or the whole bot, on a data set.

    ``load`` reads the cases from the run's data folder. If a file is missing or invalid, it raises InvalidInput, which
    names the file. ``prepare`` sets up what all cases share, such as an index, and yields the function that measures
    one case. ``score`` computes scores from all outcomes; the same outcomes and seed give the same scores. ``verdicts``
    returns rows with "truth" and "probability", whose reliability the report plots.
    """

    about: About
    load: Callable[[Run], CaseSet[Case]]
    prepare: Prepare[Case]
    score: Callable[[Sequence[Outcome], int], Sequence[Score]]
    verdicts: Callable[[Sequence[Outcome]], Sequence[Mapping[str, Any]]] | None = None


def one_by_one(measure: Callable[[Case, Engine], Awaitable[Outcome]]) -> Prepare[Case]:
    """Return a ``prepare`` function for a benchmark that needs no setup: it only calls ``measure`` on each case."""

    @asynccontextmanager
    async def prepare(cases: CaseSet[Case], engine: Engine, run: Run) -> Opened[Case]:
        async def of_engine(case: Case) -> Outcome:
            return await measure(case, engine)

        yield of_engine

    return prepare


def sample_of(read: Callable[[Path], Sequence[Case]], size: int, what: str) -> Callable[[Run], CaseSet[Case]]:
    """Return a loader that samples ``size`` of the cases that ``read`` finds in the data folder."""
    return lambda run: sampled(read(run.data), size, run, what)


def sampled(rows: Sequence[Case], size: int, run: Run, what: str) -> CaseSet[Case]:
    """Return ``size`` of ``rows``, drawn with the run's seed (all in a full run); the note calls them ``what``."""
    kept = run.sample(rows, size)
    return CaseSet(cases=kept, note=run.sample_note(len(kept), len(rows), what))


def sample_by_kind(
    read: Callable[[Path], Sequence[Question]], sizes: Mapping[str, int]
) -> Callable[[Run], CaseSet[Question]]:
    """Return a loader that samples ``sizes[kind]`` questions of each kind; a kind without a size is kept in full."""

    def load(run: Run) -> CaseSet[Question]:
        rows = read(run.data)
        kept: set[str] = set()
        notes = []
        for kind in dict.fromkeys(each.kind for each in rows):
            of_kind = [each for each in rows if each.kind == kind]
            drawn = sampled(of_kind, sizes.get(kind, len(of_kind)), run, f"questions “{kind}”")
            kept |= {each.id for each in drawn.cases}
            notes.append(drawn.note)
        return CaseSet(cases=tuple(each for each in rows if each.id in kept), note="; ".join(filter(None, notes)))

    return load


def about(name: str) -> About:
    """Return the entry for the benchmark ``name`` in catalogue.toml."""
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
