"""Spans that are hit, and characters that are covered."""

from collections.abc import Callable, Sequence

import pytest

from contracts.errors import InvalidInput
from golden_lab.metrics.spans import SpanCounts, SpanScores, character_span_counts, exact_span_counts, span_scores

Count = Callable[..., SpanCounts]


def scores_of(count: Count, predicted: Sequence[object], gold: Sequence[object]) -> SpanScores:
    return span_scores(map(count, predicted, gold))


def test_exact_spans_are_summed_over_texts() -> None:
    predicted = [[(0, 3, "short"), (5, 9, "long")], [(0, 3, "short")], []]
    gold = [[(0, 3, "short"), (5, 9, "short")], [], [(1, 2, "short"), (3, 4, "short")]]
    scores = scores_of(exact_span_counts, predicted, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((1 / 3, 1 / 4, 2 / 7))
    assert (scores.predicted, scores.gold) == (3, 4)


def test_characters_are_summed_over_texts() -> None:
    # Text 1: 10 said, 5 gold, 5 in common. Text 2: 2 said, 3 gold, none in common.
    scores = scores_of(character_span_counts, [[(0, 10)], [(0, 2)]], [[(5, 10)], [(2, 5)]])
    assert (scores.precision, scores.recall) == pytest.approx((5 / 12, 5 / 8))
    assert scores.f1 == pytest.approx(2 * 5 / (12 + 8))
    assert (scores.predicted, scores.gold) == (12, 8)


def test_characters_in_two_spans_count_once() -> None:
    assert scores_of(character_span_counts, [[(0, 4), (2, 6)]], [[(0, 6)]]).predicted == 6


def test_nothing_said_and_nothing_gold_is_0() -> None:
    assert scores_of(character_span_counts, [[]], [[]]).f1 == scores_of(exact_span_counts, [[]], [[]]).f1 == 0


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="from 5 to 3"):
        character_span_counts([(5, 3)], [])
