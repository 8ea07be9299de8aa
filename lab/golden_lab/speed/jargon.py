"""The speed of reading jargon, by the size of the dictionary: made, imported and measured."""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import InvalidInput
from contracts.jargon import Sense
from database.connection import open_database
from database.migrating import migrate
from evaluation.revision import machine, revision
from golden_lab.speed.child import run_in_child
from golden_lab.speed.jargon_dictionary import import_dictionary, make_senses
from golden_lab.speed.jargon_measuring import ProcessMeasure, StageTiming, measure_process
from golden_lab.speed.jargon_questions import make_questions
from golden_lab.speed.timing import ratio
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore

# Above this many terms, a regular expression of all of them takes minutes.
BASELINE_TERMS = 10_000

# What is promised, and for a dictionary of how many terms.
TARGET_TERMS = 100_000
TARGET_LOOK_UP_MS = 5.0
TARGET_PEAK_MB = 300.0
TARGET_RELOAD_MS = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeMeasure:
    """A dictionary of ``terms`` terms: how long its import took, how large its file is, the process that read it."""

    terms: int
    senses: int
    import_s: float
    database_mb: float
    process: ProcessMeasure

    def stage(self, stage: str, kind: str = "") -> StageTiming | None:
        """Return the timing of ``stage`` on questions of ``kind`` ("" for all), or None where there is none."""
        return next((each for each in self.process.stages if (each.stage, each.kind) == (stage, kind)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A promise and what was measured: ``limit`` and ``value`` in the unit that ``name`` tells."""

    name: str
    limit: float
    value: float

    @property
    def met(self) -> bool:
        """Whether the value is below the limit."""
        return self.value < self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class JargonSpeed:
    """All sizes, smallest first, with what they were measured on. ``load_average`` is that of the last minute before
    the first measurement, None where the system does not tell.
    """

    revision: str
    machine: str
    load_average: float | None
    seed: int
    questions: int
    rounds: int
    sizes: tuple[SizeMeasure, ...]

    def to_smallest(self, size: SizeMeasure, stage: str, kind: str = "") -> float | None:
        """Return how many times as long as in the smallest dictionary a stage takes in that of ``size``.

        Each is divided by its process's yardstick: the machine may have been slower when one of them ran.
        """
        first = self.sizes[0]
        ours, theirs = size.stage(stage, kind), first.stage(stage, kind)
        speed = ratio(size.process.yardstick, first.process.yardstick)
        if ours is None or theirs is None or speed is None:
            return None
        return ratio(ours.timing, theirs.timing, speed=speed)

    def targets(self) -> tuple[Target, ...]:
        """Return what is promised, for the dictionaries of at least ``TARGET_TERMS`` terms: none where there is none.

        The median of a look-up is that of the slowest kind of questions, the memory is the whole process's at its peak.
        """
        found = []
        for size in self.sizes:
            if size.terms < TARGET_TERMS:
                continue
            slowest = max(each.timing.median_ms for each in size.process.stages if each.stage == "look-up")
            name, reload_ms = f"{size.terms:,} terms", size.process.reload_s * 1000
            found += [
                Target(name=f"look-up, median in ms, {name}", limit=TARGET_LOOK_UP_MS, value=slowest),
                Target(name=f"process, peak in MB, {name}", limit=TARGET_PEAK_MB, value=size.process.peak_mb),
                Target(name=f"load after one edit, in ms, {name}", limit=TARGET_RELOAD_MS, value=reload_ms),
            ]
        return tuple(found)


def measure_jargon(
    sizes: Sequence[int],
    *,
    questions: int,
    seed: int,
    rounds: int = 5,
    on_step: Callable[[str], None] = lambda step: None,
) -> JargonSpeed:
    """Measure dictionaries of ``sizes`` terms with the same questions, each in a fresh process.

    ``questions`` are about terms of the smallest dictionary, with which the larger ones of the seed begin; each is
    asked ``rounds`` times. ``on_step`` is told what is done next.

    Raises:
        InvalidInput: no sizes, one below 1, too few questions or no round.
        Unavailable: a measuring process ended early.
    """
    ordered = sorted(set(sizes))
    if not ordered or rounds < 1:
        raise InvalidInput("name at least one size, and one round", field="terms")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    by_size = {size: make_senses(size, seed=seed) for size in ordered}
    asked = make_questions(by_size[ordered[0]], by_size[ordered[-1]], count=questions, seed=seed)
    measures = []
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as folder:
        for size in ordered:
            on_step(f"{size:,} terms: importing")
            place = Path(folder) / str(size)
            place.mkdir()
            import_s = _import(by_size[size], place)
            on_step(f"{size:,} terms: measuring")
            process = run_in_child(
                measure_process,
                place / "golden.db",
                asked,
                rounds=rounds,
                with_baseline=size <= BASELINE_TERMS,
            )
            measures.append(
                SizeMeasure(
                    terms=size,
                    senses=len(by_size[size]),
                    import_s=import_s,
                    database_mb=(place / "golden.db").stat().st_size / 1e6,
                    process=process,
                )
            )
    return JargonSpeed(
        revision=revision(),
        machine=machine(),
        load_average=load,
        seed=seed,
        questions=questions,
        rounds=rounds,
        sizes=tuple(measures),
    )


def _import(senses: Sequence[Sense], folder: Path) -> float:
    engine = open_database(f"sqlite:///{folder / 'golden.db'}")
    try:
        migrate(engine, DICTIONARY)
        started = time.perf_counter()
        import_dictionary(JargonStore(engine), senses, folder)
        return time.perf_counter() - started
    finally:
        engine.dispose()
