"""Which words of a text are abbreviations, and what do they stand for? Scored by exact span.

Short forms come from the jargon identifier with an empty dictionary, at the probability threshold at which the bot asks
about unknown terms. It looks for every kind of jargon, so codes and names in unusual letter case count as errors. Long
forms come from the term miner. It looks for definitions, so its short forms are only those that the text defines.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from contracts.jargon import MinedTerm
from contracts.text import Span
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.scores import count_scores, of_subset, subsets_of, values_of
from golden_lab.datasets.marked_abbreviations import MarkedText, sdu21_texts, sdu22_texts
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score

SHORT, LONG, BOTH = "short forms", "long forms", "short and long forms"
MINER = "term miner alone"
_ROWS = ((SHORT, ""), (LONG, ""), (BOTH, ""), (SHORT, MINER))


async def find_all(case: MarkedText, engine: Engine) -> Outcome:
    """Find the short and long forms in one text."""
    threshold = engine.judges.policy.unknown_jargon_threshold
    mentions = (await engine.judges.jargon_identifier.identify(case.text)).mentions
    found = {case.widened(each.span) for each in mentions if each.probability >= threshold}
    mined = [find_forms(each, case.text) for each in (await engine.term_miner.mine(case.text)).terms]
    defined = {case.widened(short) for short, _ in mined if short is not None}
    longs = {case.widened(long) for _, long in mined if long is not None}
    return _outcome(case, found, longs, defined)


def find_forms(mined: MinedTerm, text: str) -> tuple[Span | None, Span | None]:
    """Return the spans of the short and the long form of ``mined`` in ``text``; None for a missing form.

    The miner returns the singular ("media encryption key", MEK), but the text may contain a plural or full stops. If a
    form occurs several times, the two occurrences that are closest together count.
    """
    shorts = list(_shorts(mined.term, text))
    longs = list(_longs(mined.extended_name, text))
    if not shorts or not longs:
        return (shorts[0] if shorts else None), (longs[0] if longs else None)
    apart = [(distance, short, long) for short in shorts for long in longs if (distance := _apart(short, long)) >= 0]
    if not apart:
        return shorts[0], longs[0]
    _, short, long = min(apart, key=lambda each: (each[0], each[1].start))
    return short, long


def _shorts(term: str, text: str) -> Iterator[Span]:
    for pattern in (re.escape(term) + "s?", r"\.?".join(map(re.escape, term)) + r"\.?s?"):
        found = [Span(*match.span()) for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text)]
        if found:
            yield from found
            return


def _longs(name: str, text: str) -> Iterator[Span]:
    pattern = r"\s+".join(map(re.escape, name.split()))
    ending = f"(?:{pattern}s?|{pattern[:-1]}ies)" if name.endswith("y") else f"{pattern}s?"
    for match in re.finditer(rf"(?<!\w){ending}(?!\w)", text):
        yield Span(*match.span())


def _apart(first: Span, second: Span) -> int:
    """Return the number of characters between two spans, or -1 if they overlap."""
    gap = max(first.start, second.start) - min(first.end, second.end)
    return gap if gap >= 0 else -1


def _outcome(case: MarkedText, found: set[Span], longs: set[Span], defined: set[Span]) -> Outcome:
    shorts, gold_longs = set(case.shorts), set(case.longs)
    wrong = len(found ^ shorts) + len(longs ^ gold_longs)
    return Outcome(
        id=case.id,
        values={
            "subset": case.subset,
            SHORT: _counts(found, shorts),
            LONG: _counts(longs, gold_longs),
            MINER: {SHORT: _counts(defined, shorts)},
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


def _counts(found: set[Span], there: set[Span]) -> list[int]:
    return [len(found & there), len(found), len(there)]


def _shown(spans: Iterable[Span], text: str) -> str:
    return "; ".join(text[span.start : span.end] for span in sorted(spans, key=lambda each: each.start))


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score short forms, long forms and both, on all texts and each subset; F1 follows the shared task's scorer."""
    found: list[Score] = []
    for part in subsets_of(outcomes):
        chosen = of_subset(outcomes, part)
        for form, system in _ROWS:
            forms = (SHORT, LONG) if form == BOTH else (form,)
            counts = np.array([[values_of(each, system)[name] for name in forms] for each in chosen], dtype=np.float64)
            found += count_scores(counts, seed, system=system, subset=f"{part}, {form}" if part else form)
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module."""
    sets = (("identification-sdu21", sdu21_texts, 2_000), ("extraction-sdu22", sdu22_texts, 3_000))
    return tuple(
        Benchmark(about=about(name), load=sample_of(read, size, "texts"), prepare=one_by_one(find_all), score=score)
        for name, read, size in sets
    )
