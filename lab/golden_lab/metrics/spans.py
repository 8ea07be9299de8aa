"""Span metrics, micro over texts: spans that are hit exactly, and characters that are covered."""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from contracts.errors import InvalidInput
from evaluation.intervals import f1_of, share


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScores:
    """Figures in [0, 1], 0 where they are 0/0. ``predicted`` and ``gold`` count spans, or characters in them."""

    precision: float
    recall: float
    f1: float
    predicted: int
    gold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCounts:
    """What one text comes to: spans (or characters) that are predicted, that are gold, and that are both."""

    hits: int
    predicted: int
    gold: int


def exact_span_counts(predicted: Collection[Hashable], gold: Collection[Hashable]) -> SpanCounts:
    """Count spans of one text; one is hit where an equal one is gold. Equal spans count once."""
    said, true = set(predicted), set(gold)
    return SpanCounts(hits=len(said & true), predicted=len(said), gold=len(true))


def character_span_counts(predicted: Collection[tuple[int, int]], gold: Collection[tuple[int, int]]) -> SpanCounts:
    """Count the characters of one text that spans (start, end), end exclusive, cover; those in several count once.

    Source: RAGTruth (Niu et al. 2024), which scores span detection by overlap in characters.

    Raises:
        InvalidInput: a span has its end before its start, or a start below 0.
    """
    said, true = _characters(predicted), _characters(gold)
    return SpanCounts(hits=len(said & true), predicted=len(said), gold=len(true))


def span_scores(counts: Iterable[SpanCounts]) -> SpanScores:
    """Score the counts of texts, summed before they are divided (micro)."""
    each = list(counts)
    hits, predicted, gold = (sum(getattr(one, name) for one in each) for name in ("hits", "predicted", "gold"))
    precision, recall = share(hits, predicted), share(hits, gold)
    return SpanScores(precision=precision, recall=recall, f1=f1_of(precision, recall), predicted=predicted, gold=gold)


def _characters(spans: Collection[tuple[int, int]]) -> set[int]:
    for start, end in spans:
        if not 0 <= start <= end:
            raise InvalidInput(f"a span from {start} to {end} cannot be: 0 <= start <= end", field="spans")
    return {at for start, end in spans for at in range(start, end)}
