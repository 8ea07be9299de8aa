"""What every benchmark has in common: what it is about, its cases, what each came to, and the scores."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from evaluation.run import Run
from evaluation.splits import SplitUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure that others published, in the unit of our ``Score`` of the same ``metric``.

    ``source`` names paper and table. ``differs`` says in what their set or setting is not ours ("full corpora, ours are
    pooled"), "" where it is the same.
    """

    metric: str
    value: float
    system: str
    source: str
    subset: str = ""
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a benchmark measures and on what.

    ``intrinsic`` is the folder of the judgement that is scored, or "retrieval", "ocr", "bot", "judge", "triples".
    ``metric`` is the one that sums the intrinsic up, ``metric_subset`` and ``metric_system`` which of its rows.
    """

    name: str
    title: str
    intrinsic: str
    metric: str
    source: str
    licence: str
    split: str
    uses: tuple[SplitUse, ...]
    metric_subset: str = ""
    metric_system: str = ""
    published: tuple[Published, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score with its 95 % interval over ``n`` cases, in its metric's own unit ([0, 1] unless it says otherwise).

    ``system`` tells several systems of one benchmark apart ("BM25", "hybrid"), ``subset`` several parts of its data.
    """

    metric: str
    value: float
    low: float
    high: float
    n: int
    system: str = ""
    subset: str = ""
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one case came to.

    ``values`` are plain JSON values: all that the scores are made of, so that an interrupted run goes on from those
    that are stored. ``loss`` in [0, 1] says how wrong it went (0: right); ``trace`` shows a person why.
    """

    id: str
    values: Mapping[str, Any]
    loss: float = 0.0
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A plot as SVG text, with its title and, for those who cannot see it, what it shows."""

    title: str
    svg: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of a benchmark, in the order of its table, and its plots."""

    scores: tuple[Score, ...]
    figures: tuple[Figure, ...] = ()


class HasId(Protocol):
    """A case of any form: it has an id that is its own within the benchmark, the same in every run."""

    @property
    def id(self) -> str:
        """The id."""
        ...


Case = TypeVar("Case", bound=HasId)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet(Generic[Case]):
    """The cases of a run. ``note`` says what was sampled or pooled ("300 of 3,356 answers, seed 7"), "" for all."""

    cases: tuple[Case, ...]
    note: str = ""


Measure = Callable[[Case], Awaitable[Outcome]]


class Benchmark(Protocol[Case]):
    """Scores a judgement, or the whole bot, on a data set."""

    @property
    def about(self) -> About:
        """What it measures, on what."""
        ...

    def load(self, run: Run) -> CaseSet[Case]:
        """Read the cases below ``run.data``; a large set is sampled by ``run.sample`` unless the run is full.

        Raises:
            InvalidInput: a file is not there or not of its form; the text names it.
        """
        ...

    def prepare(
        self, cases: CaseSet[Case], engine: Any, run: Run
    ) -> AbstractAsyncContextManager[Callable[[Case], Awaitable[Outcome]]]:
        """Make ready what all cases need (an index over a corpus) and yield what measures one case."""
        ...

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Put the outcomes of all cases together. Pure: equal outcomes and seed make equal scores."""
        ...
