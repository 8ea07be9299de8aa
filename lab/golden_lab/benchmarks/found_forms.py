"""Abbreviations and long forms found in a text, and the scores of them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.jargon import MinedTerm
from contracts.text import Span
from evaluation.intervals import f1_of, share
from evaluation.results import Score
from evaluation.scores import statistic_score


def find_forms(mined: MinedTerm, text: str) -> tuple[Span | None, Span | None]:
    """Return the spans of the short and the long form of ``mined`` in ``text``; None for one that is not there.

    A miner names one of them ("media encryption key", MEK) where the text may speak of several or write full stops.
    Of several places the two that lie closest together count.
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
    """Return how many characters lie between two spans, -1 where they overlap."""
    gap = max(first.start, second.start) - min(first.end, second.end)
    return gap if gap >= 0 else -1


def pair_scores(rows: Sequence[Mapping[str, Any]], *, seed: int, subset: str = "") -> list[Score]:
    """Score F1, precision and recall of found pairs over rows that count ``hits``, ``mined`` and ``expected``.

    Raises:
        InvalidInput: no rows.
    """
    counts = np.array([[row["hits"], row["mined"], row["expected"]] for row in rows], dtype=np.float64)

    def precision(drawn: NDArray[np.intp]) -> float:
        hits, mined, _ = counts[drawn].sum(axis=0).tolist()
        return share(hits, mined)

    def recall(drawn: NDArray[np.intp]) -> float:
        hits, _, expected = counts[drawn].sum(axis=0).tolist()
        return share(hits, expected)

    statistics: dict[str, Callable[[NDArray[np.intp]], float]] = {
        "F1": lambda drawn: f1_of(precision(drawn), recall(drawn)),
        "precision": precision,
        "recall": recall,
    }
    return [
        statistic_score(metric, statistic, len(counts), seed=seed, subset=subset)
        for metric, statistic in statistics.items()
    ]
