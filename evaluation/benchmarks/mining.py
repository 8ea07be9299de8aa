"""Which abbreviation stands for which words: definitions mined from running text, from a specification, and a whole
dictionary of an organisation taken in.

In SDU@AAAI-22 people marked short and long forms, not which belong together; where a marked long form stands directly
before or behind a marked short form in brackets, or an equals sign joins them, the pair is theirs too.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span
from evaluation.benchmarks.base import About, Benchmark, CaseSet, Outcome, Score, Scores
from evaluation.benchmarks.dictionary import VETERANS_AFFAIRS, DictionaryImport
from evaluation.benchmarks.forms import DOMAINS, MarkedText, sdu22_texts
from evaluation.benchmarks.pairs import find_forms
from evaluation.benchmarks.scoring import statistic_score
from evaluation.benchmarks.specifications import CALIPTRA, SpecificationMining
from evaluation.engine import Engine
from evaluation.metrics.checking import f1_of, share
from evaluation.run import Run
from evaluation.splits import SplitUse

Pair = tuple[Span, Span]

_OPENING = re.compile(r"\s*[\"“”']?\s*[(\[]\s*[\"“”']?\s*")
_EQUALS = re.compile(r"\s*=\s*")
_FURTHEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMining:
    """Scores pairs of short and long form mined from ``size`` texts, or from all where the run is full."""

    about: About
    size: int = 3_000

    def load(self, run: Run) -> CaseSet[MarkedText]:
        """Read the texts of the scored half."""
        texts = sdu22_texts(run.data)
        kept = run.sample(texts, self.size)
        return CaseSet(cases=kept, note=run.sample_note(len(kept), len(texts), "texts"))

    @asynccontextmanager
    async def prepare(
        self, cases: CaseSet[MarkedText], engine: Engine, run: Run
    ) -> AsyncIterator[Callable[[MarkedText], Awaitable[Outcome]]]:
        """Yield what mines one text."""

        async def measure(case: MarkedText) -> Outcome:
            mined = await engine.term_miner.mine(case.text)
            found = {(short, long) for short, long in (find_forms(each, case.text) for each in mined) if short and long}
            lost = [each.term for each in mined if None in find_forms(each, case.text)]
            return _outcome(case, found, lost)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 of the pairs, on all texts and on each part."""
        found: list[Score] = []
        for part in ("", *sorted({str(each.values["subset"]) for each in outcomes})):
            chosen = [each.values for each in outcomes if part in ("", each.values["subset"])]
            counts = np.array([[row["hits"], row["mined"], row["expected"]] for row in chosen], dtype=np.float64)
            found += _figures(counts, part, run.seed)
        return Scores(scores=tuple(found))


def marked_pairs(case: MarkedText) -> set[Pair]:
    """Return the pairs that the marks of ``case`` imply by standing together."""
    return {(short, long) for short in case.shorts for long in case.longs if _together(short, long, case.text)}


def _together(short: Span, long: Span, text: str) -> bool:
    first, second = sorted((short, long), key=lambda each: each.start)
    if not 0 <= second.start - first.end <= _FURTHEST:
        return False
    between = text[first.end : second.start]
    return bool(_OPENING.fullmatch(between) or _EQUALS.fullmatch(between))


def _figures(counts: NDArray[np.float64], part: str, seed: int) -> list[Score]:
    def precision(rows: NDArray[np.intp]) -> float:
        hits, mined, _ = counts[rows].sum(axis=0).tolist()
        return share(hits, mined)

    def recall(rows: NDArray[np.intp]) -> float:
        hits, _, expected = counts[rows].sum(axis=0).tolist()
        return share(hits, expected)

    statistics: dict[str, Callable[[NDArray[np.intp]], float]] = {
        "F1": lambda rows: f1_of(precision(rows), recall(rows)),
        "precision": precision,
        "recall": recall,
    }
    return [
        statistic_score(metric, statistic, len(counts), seed=seed, subset=part)
        for metric, statistic in statistics.items()
    ]


def _outcome(case: MarkedText, found: set[Pair], lost: Sequence[str]) -> Outcome:
    """Hold the pairs against the marks; a pair of two marked forms that stand apart is neither right nor wrong."""
    expected = marked_pairs(case)
    unsure = {(short, long) for short, long in found - expected if short in case.shorts and long in case.longs}
    judged = found - unsure
    mined = len(judged) + len(lost)
    wrong = len(judged ^ expected) + len(lost)
    return Outcome(
        id=case.id,
        values={"subset": case.subset, "hits": len(judged & expected), "mined": mined, "expected": len(expected)},
        loss=wrong / max(1, len(judged | expected) + len(lost)),
        trace={
            "text": case.text,
            "mined": _shown(found, case.text),
            "expected": _shown(expected, case.text),
            "mined, but not in the text": "; ".join(lost),
        },
    )


def _shown(pairs: Iterable[Pair], text: str) -> str:
    ordered = sorted(pairs, key=lambda pair: pair[0].start)
    return "; ".join(f"{text[short.start : short.end]} = {text[long.start : long.end]}" for short, long in ordered)


_PAIRS = About(
    name="mining-sdu22",
    title="Which abbreviation of a legal or scientific text stands for which of its words?",
    intrinsic="term_mining",
    metric="F1",
    source="SDU@AAAI-22 shared task 1: Veyseh et al. 2022, arXiv:2202.09694 (amirveyseh/AAAI-22-SDU-shared-task-1-AE); "
    "pairs by the place of the marked forms",
    licence="CC BY-NC-SA 4.0, measured only",
    split="train taken for development: the scored half of the texts behind the first 1,200 of each domain",
    uses=tuple(SplitUse(file=f"sdu22_ae/{domain}/train.jsonl.gz", part="score") for domain in DOMAINS),
)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module, and those of the specification and the dictionary."""
    return (
        PairMining(about=_PAIRS),
        SpecificationMining(about=CALIPTRA),
        DictionaryImport(about=VETERANS_AFFAIRS),
    )
