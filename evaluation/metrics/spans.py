"""Span metrics, micro over texts: spans that are hit exactly, and characters that are covered."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.errors import InvalidInput
from evaluation.metrics.checking import f1_of, same_length, share


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScores:
    """Figures in [0, 1], 0 where they are 0/0. ``predicted`` and ``gold`` count spans, or characters in them."""

    precision: float
    recall: float
    f1: float
    predicted: int
    gold: int


def exact_span_scores(
    predicted: Sequence[Collection[tuple[Any, ...]]], gold: Sequence[Collection[tuple[Any, ...]]]
) -> SpanScores:
    """Score spans, one collection a text; a span is right where an equal tuple (bounds, label, …) is gold in its text.

    Counts are summed over texts before they are divided (micro). Equal spans of one text count once.

    Raises:
        InvalidInput: no texts, or not as many on both sides.
    """
    same_length("predicted", predicted, "gold", gold)
    pairs = [(set(said), set(true)) for said, true in zip(predicted, gold, strict=True)]
    return _scores(
        sum(len(said & true) for said, true in pairs),
        sum(len(said) for said, _ in pairs),
        sum(len(true) for _, true in pairs),
    )


def character_span_scores(
    predicted: Sequence[Collection[tuple[int, int]]], gold: Sequence[Collection[tuple[int, int]]]
) -> SpanScores:
    """Score the characters that spans (start, end), end exclusive, cover, summed over texts (micro).

    Characters in several spans of one text count once.
    Source: RAGTruth (Niu et al. 2024), which scores span detection by overlap in characters.

    Raises:
        InvalidInput: no texts, not as many on both sides, or a span with an end before its start or a start below 0.
    """
    same_length("predicted", predicted, "gold", gold)
    pairs = [(_characters(said), _characters(true)) for said, true in zip(predicted, gold, strict=True)]
    return _scores(
        sum(len(said & true) for said, true in pairs),
        sum(len(said) for said, _ in pairs),
        sum(len(true) for _, true in pairs),
    )


def _characters(spans: Collection[tuple[int, int]]) -> set[int]:
    for start, end in spans:
        if not 0 <= start <= end:
            raise InvalidInput(f"a span from {start} to {end} cannot be: 0 <= start <= end", field="spans")
    return {at for start, end in spans for at in range(start, end)}


def _scores(hits: int, predicted: int, gold: int) -> SpanScores:
    precision, recall = share(hits, predicted), share(hits, gold)
    return SpanScores(precision=precision, recall=recall, f1=f1_of(precision, recall), predicted=predicted, gold=gold)
