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

from contracts.jargon import MinedTerm
from contracts.text import Span
from evaluation.benchmark import About, Benchmark, CaseSet, Outcome, Score, Scores
from evaluation.run import Run
from evaluation.scores import pair_scores
from evaluation.splits import SplitUse
from golden_lab.benchmarks.dictionary import VETERANS_AFFAIRS, DictionaryImport
from golden_lab.benchmarks.mined_examples import EXAMPLES, ExampleMining
from golden_lab.benchmarks.pairs import find_forms
from golden_lab.benchmarks.specifications import CALIPTRA, SpecificationMining
from golden_lab.datasets.forms import DOMAINS, MarkedText, sdu22_texts
from golden_lab.engine import Engine
from tools.language import fold

Pair = tuple[str, str]

_OPENING = re.compile(r"\s*[\"“”']?\s*[(\[]\s*[\"“”']?\s*")
_EQUALS = re.compile(r"\s*=\s*")
_FURTHEST = 6
_EDGES = re.compile(r"^\W+|\W+$")
_ENDING = re.compile(r"['’]?s$")


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
            mined = (await engine.term_miner.mine(case.text)).terms
            return _outcome(case, {_mined_pair(each, case.text) for each in mined})

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score precision, recall and F1 of the pairs, on all texts and on each part."""
        found: list[Score] = []
        for part in ("", *sorted({str(each.values["subset"]) for each in outcomes})):
            chosen = [each.values for each in outcomes if part in ("", each.values["subset"])]
            found += pair_scores(chosen, seed=run.seed, subset=part)
        return Scores(scores=tuple(found))


def marked_pairs(case: MarkedText) -> set[Pair]:
    """Return the pairs that the marks of ``case`` imply by standing together, each as it is compared."""
    return {
        (_short(case.text[short.start : short.end]), _long(case.text[long.start : long.end]))
        for short in case.shorts
        for long in case.longs
        if _together(short, long, case.text)
    }


def _mined_pair(mined: MinedTerm, text: str) -> Pair:
    short, long = find_forms(mined, text)
    return (
        _short(text[short.start : short.end] if short else mined.term),
        _long(text[long.start : long.end] if long else mined.extended_name),
    )


def _short(form: str) -> str:
    return _ENDING.sub("", _EDGES.sub("", form))


def _long(form: str) -> str:
    return fold(_EDGES.sub("", form))


def _together(short: Span, long: Span, text: str) -> bool:
    first, second = sorted((short, long), key=lambda each: each.start)
    if not 0 <= second.start - first.end <= _FURTHEST:
        return False
    between = text[first.end : second.start]
    return bool(_OPENING.fullmatch(between) or _EQUALS.fullmatch(between))


def _outcome(case: MarkedText, found: set[Pair]) -> Outcome:
    """Hold the pairs against the marks; a pair of two marked forms that stand apart is neither right nor wrong."""
    expected = marked_pairs(case)
    shorts = {_short(case.text[span.start : span.end]) for span in case.shorts}
    longs = {_long(case.text[span.start : span.end]) for span in case.longs}
    judged = {
        (short, long) for short, long in found if (short, long) in expected or not (short in shorts and long in longs)
    }
    return Outcome(
        id=case.id,
        values={
            "subset": case.subset,
            "hits": len(judged & expected),
            "mined": len(judged),
            "expected": len(expected),
        },
        loss=len(judged ^ expected) / max(1, len(judged | expected)),
        trace={"text": case.text, "mined": _shown(found), "expected": _shown(expected)},
    )


def _shown(pairs: Iterable[Pair]) -> str:
    return "; ".join(f"{short} = {long}" for short, long in sorted(pairs))


_PAIRS = About(
    name="mining-sdu22",
    title="Abbreviations mined from legal and scientific texts with the words that they stand for",
    intrinsic="term_mining",
    metric="F1",
    source="SDU@AAAI-22 shared task 1: Veyseh et al. 2022, arXiv:2202.09694 (amirveyseh/AAAI-22-SDU-shared-task-1-AE); "
    "pairs by the place of the marked forms",
    licence="CC BY-NC-SA 4.0, measured only",
    split="train taken for development: the scored half of the texts behind the first 1,200 of each domain",
    uses=tuple(SplitUse(file=f"sdu22_ae/{domain}/train.jsonl.gz", part="score") for domain in DOMAINS),
)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module, and those of the specification, the examples and the dictionary."""
    return (
        PairMining(about=_PAIRS),
        SpecificationMining(about=CALIPTRA),
        ExampleMining(about=EXAMPLES),
        DictionaryImport(about=VETERANS_AFFAIRS),
    )
