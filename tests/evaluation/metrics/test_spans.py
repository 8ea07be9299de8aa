"""Spans that are hit, and characters that are covered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import InvalidInput
from evaluation.metrics.spans import character_span_scores, exact_span_scores

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair))), max_size=4)


def test_exact_spans_are_summed_over_texts() -> None:
    predicted = [[(0, 3, "short"), (5, 9, "long")], [(0, 3, "short")], []]
    gold = [[(0, 3, "short"), (5, 9, "short")], [], [(1, 2, "short"), (3, 4, "short")]]
    scores = exact_span_scores(predicted, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((1 / 3, 1 / 4, 2 / 7))
    assert (scores.predicted, scores.gold) == (3, 4)


def test_the_same_span_in_another_text_is_no_hit() -> None:
    assert exact_span_scores([[(0, 3)], []], [[], [(0, 3)]]).f1 == 0


def test_characters_are_summed_over_texts() -> None:
    # Text 1: 10 said, 5 gold, 5 in common. Text 2: 2 said, 3 gold, none in common.
    scores = character_span_scores([[(0, 10)], [(0, 2)]], [[(5, 10)], [(2, 5)]])
    assert (scores.precision, scores.recall) == pytest.approx((5 / 12, 5 / 8))
    assert scores.f1 == pytest.approx(2 * 5 / (12 + 8))
    assert (scores.predicted, scores.gold) == (12, 8)


def test_characters_in_two_spans_count_once() -> None:
    assert character_span_scores([[(0, 4), (2, 6)]], [[(0, 6)]]).predicted == 6


def test_nothing_said_and_nothing_gold_is_0() -> None:
    assert character_span_scores([[]], [[]]).f1 == exact_span_scores([[]], [[]]).f1 == 0


@given(SPANS, SPANS)
def test_to_swap_the_sides_swaps_precision_and_recall(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    for metric in (exact_span_scores, character_span_scores):
        here, there = metric([one], [other]), metric([other], [one])
        assert (here.precision, here.recall, here.f1) == (there.recall, there.precision, there.f1)
        assert 0 <= here.f1 <= 1


@pytest.mark.parametrize("metric", [exact_span_scores, character_span_scores])
def test_texts_without_their_partner_are_refused(metric: object) -> None:
    for predicted, gold in (([], []), ([[]], [])):
        with pytest.raises(InvalidInput):
            metric(predicted, gold)  # type: ignore[operator]


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="from 5 to 3"):
        character_span_scores([[(5, 3)]], [[]])
