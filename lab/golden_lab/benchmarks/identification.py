"""Which words of a text are abbreviations, and what they are short for: judged as the bot does, scored by exact span.

Short forms are what the jargon identifier finds over an empty dictionary, at the probability from which the bot asks
about an unknown term; it looks for jargon of every kind, so that codes and names in odd letter case count against it.
Long forms are what the term miner finds; it looks for definitions, so that its short forms are the defined ones only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span
from evaluation.intervals import f1_of, share
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import statistic_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, sampled
from golden_lab.benchmarks.found_forms import find_forms
from golden_lab.datasets.forms import MarkedText, sdu21_texts, sdu22_texts
from golden_lab.engine import Engine
from golden_lab.metrics.spans import exact_span_counts
from golden_lab.run import Run

SHORT, LONG, BOTH = "short forms", "long forms", "short and long forms"
MINER = "term miner alone"
_ROWS = ((SHORT, ""), (LONG, ""), (BOTH, ""), (SHORT, MINER))


@dataclass(frozen=True, kw_only=True)
class FormFinding(Benchmark[MarkedText]):
    """Scores the spans of short and long forms in the texts that ``read`` brings, ``size`` unless the run is full."""

    read: Callable[[Path], Sequence[MarkedText]]
    size: int

    def load(self, run: Run) -> CaseSet[MarkedText]:
        """Read the texts."""
        texts = self.read(run.data)
        return sampled(texts, self.size, run, "texts")

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[MarkedText], engine: Engine, run: Run) -> Opened[MarkedText]:
        """Yield what finds the forms of one text."""
        identifier, miner = engine.judges.jargon_identifier, engine.term_miner
        threshold = engine.judges.policy.unknown_jargon_threshold

        async def measure(case: MarkedText) -> Outcome:
            mentions = (await identifier.identify(case.text)).mentions
            found = {case.widened(each.span) for each in mentions if each.probability >= threshold}
            mined = [find_forms(each, case.text) for each in (await miner.mine(case.text)).terms]
            defined = {case.widened(short) for short, _ in mined if short is not None}
            longs = {case.widened(long) for _, long in mined if long is not None}
            return _outcome(case, found, longs, defined)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 of short forms, of long forms and of both, on all texts and on each part."""
        parts = sorted({str(each.values["subset"]) for each in outcomes})
        found: list[Score] = []
        for part in ["", *parts] if len(parts) > 1 else parts:
            chosen = [each.values for each in outcomes if part in ("", each.values["subset"])]
            for form, system in _ROWS:
                subset = f"{part}, {form}" if part else form
                found += _figures(_counts(chosen, form, system), subset, system, run.seed)
        return Scores(scores=tuple(found))


def _counts(values: Sequence[Mapping[str, Any]], form: str, system: str) -> NDArray[np.float64]:
    """Return hits, found and marked spans by text, of shape (texts, classes, 3)."""
    forms = (SHORT, LONG) if form == BOTH else (form,)
    return np.array([[(each[system] if system else each)[name] for name in forms] for each in values], dtype=np.float64)


def _figures(counts: NDArray[np.float64], subset: str, system: str, seed: int) -> list[Score]:
    """Score the averages over classes; F1 is that of the averages, as in the shared task's scorer."""

    def precision_and_recall(rows: NDArray[np.intp]) -> tuple[float, float]:
        hits, found, there = counts[rows].sum(axis=0).T.tolist()
        precisions = [share(hit, said) for hit, said in zip(hits, found, strict=True)]
        recalls = [share(hit, gold) for hit, gold in zip(hits, there, strict=True)]
        return sum(precisions) / len(precisions), sum(recalls) / len(recalls)

    statistics: dict[str, Callable[[NDArray[np.intp]], float]] = {
        "F1": lambda rows: f1_of(*precision_and_recall(rows)),
        "precision": lambda rows: precision_and_recall(rows)[0],
        "recall": lambda rows: precision_and_recall(rows)[1],
    }
    return [
        statistic_score(metric, statistic, len(counts), seed=seed, system=system, subset=subset)
        for metric, statistic in statistics.items()
    ]


def _outcome(case: MarkedText, found: set[Span], longs: set[Span], defined: set[Span]) -> Outcome:
    shorts, gold_longs = set(case.shorts), set(case.longs)
    wrong = len(found ^ shorts) + len(longs ^ gold_longs)
    return Outcome(
        id=case.id,
        values={
            "subset": case.subset,
            SHORT: _three(found, shorts),
            LONG: _three(longs, gold_longs),
            MINER: {SHORT: _three(defined, shorts)},
        },
        loss=wrong / max(1, len(found | shorts) + len(longs | gold_longs)),
        trace={
            "text": case.text,
            "short forms found": _shown(found, case.text),
            "short forms expected": _shown(shorts, case.text),
            "long forms found": _shown(longs, case.text),
            "long forms expected": _shown(gold_longs, case.text),
        },
    )


def _three(found: set[Span], there: set[Span]) -> list[int]:
    counts = exact_span_counts(found, there)
    return [counts.hits, counts.predicted, counts.gold]


def _shown(spans: Iterable[Span], text: str) -> str:
    return "; ".join(text[span.start : span.end] for span in sorted(spans, key=lambda each: each.start))


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module."""
    return (
        FormFinding(name="identification-sdu21", read=sdu21_texts, size=2_000),
        FormFinding(name="extraction-sdu22", read=sdu22_texts, size=3_000),
    )
