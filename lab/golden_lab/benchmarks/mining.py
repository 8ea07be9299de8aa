"""Which abbreviation stands for which words: definitions mined from running text.

In SDU@AAAI-22 people marked short and long forms, not which belong together; where a marked long form stands directly
before or behind a marked short form in brackets, or an equals sign joins them, the pair is theirs too.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from contracts.jargon import MinedTerm
from contracts.text import Span
from evaluation.results import Outcome, Score
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.identification import find_forms
from golden_lab.benchmarks.scores import count_scores, of_subset
from golden_lab.datasets.forms import MarkedText, sdu22_texts
from golden_lab.engine import Engine
from tools.language import fold

Pair = tuple[str, str]

_OPENING = re.compile(r"\s*[\"“”']?\s*[(\[]\s*[\"“”']?\s*")
_EQUALS = re.compile(r"\s*=\s*")
_FURTHEST = 6
_EDGES = re.compile(r"^\W+|\W+$")
_ENDING = re.compile(r"['’]?s$")


async def mine_pairs(case: MarkedText, engine: Engine) -> Outcome:
    """Mine the pairs of one text."""
    mined = (await engine.term_miner.mine(case.text)).terms
    return _outcome(case, {_mined_pair(each, case.text) for each in mined})


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
        values={"subset": case.subset, "hits": len(judged & expected), "mined": len(judged), "expected": len(expected)},
        loss=len(judged ^ expected) / max(1, len(judged | expected)),
        trace={"text": case.text, "mined": _shown(found), "expected": _shown(expected)},
    )


def _shown(pairs: Iterable[Pair]) -> str:
    return "; ".join(f"{short} = {long}" for short, long in sorted(pairs))


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score precision, recall and F1 of the pairs, on all texts and on each part."""
    found: list[Score] = []
    for part in ("", *sorted({str(each.values["subset"]) for each in outcomes})):
        rows = [[each.values[name] for name in ("hits", "mined", "expected")] for each in of_subset(outcomes, part)]
        found += count_scores(np.array(rows, dtype=np.float64), seed, subset=part)
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of this module."""
    load = sample_of(sdu22_texts, 3_000, "texts")
    return (Benchmark(about=about("mining-sdu22"), load=load, prepare=one_by_one(mine_pairs), score=score),)
