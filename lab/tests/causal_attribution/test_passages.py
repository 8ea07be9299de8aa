"""From tokens to passages, by hand."""

import numpy as np
import pytest

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.causal_attribution import (
    ConcentrationRule,
    RankRule,
    concentrated_passages,
    passage_relevance,
    used_passages,
)


def test_a_passages_relevance_is_the_signed_sum_over_its_tokens() -> None:
    scores = np.array([[1.0, 2.0, -3.0, 4.0, 10.0], [0.0, -1.0, -1.0, 5.0, 0.0]])
    summed = passage_relevance(scores, [Span(0, 2), Span(2, 4), Span(4, 4)])
    np.testing.assert_allclose(summed, [[3, 1, 0], [-1, 4, 0]])
    with pytest.raises(InvalidInput):
        passage_relevance(scores, [Span(3, 6)])


def test_a_passage_is_used_that_ranks_high_often_enough() -> None:
    # Ten tokens; passage 0 leads always (with both signs), 1 three times, 2 twice.
    by_passage = np.zeros((10, 4))
    by_passage[:, 0] = [5, -5] * 5
    by_passage[:3, 1] = -2
    by_passage[3:5, 2] = 2
    assert used_passages(by_passage, RankRule(top=2, share=0.3)) == (0, 1)
    assert used_passages(by_passage, RankRule(top=2, share=0.2)) == (0, 1, 2)
    assert used_passages(by_passage, RankRule(top=1, share=0.3)) == (0,)


def test_a_passage_without_relevance_is_never_used() -> None:
    assert used_passages(np.zeros((5, 3))) == ()
    assert used_passages(np.zeros((0, 3))) == ()


def test_the_size_of_the_gradients_does_not_matter_to_ranks() -> None:
    by_passage = np.array([[3.0, 2, 1, 0.5], [0.1, 0.2, 0.3, 0.4]])
    scaled = by_passage * np.array([[1e6], [1e-6]])
    assert used_passages(by_passage, RankRule(top=1, share=0.5)) == used_passages(scaled, RankRule(top=1, share=0.5))


def test_concentration_compares_a_token_of_each_passage() -> None:
    # Passage 1 has four times the relevance of the others, and is four times as long: no concentration.
    by_passage = np.array([[1.0, 4.0, 1.0, 1.0]] * 10)
    assert concentrated_passages(by_passage, [10, 40, 10, 10]) == ()
    assert concentrated_passages(by_passage, [10, 10, 10, 10]) == (1,)
    # 4/7 of the relevance is 2.3 times the uniform quarter.
    assert concentrated_passages(by_passage, [10] * 4, ConcentrationRule(ratio=2.2)) == (1,)
    assert concentrated_passages(by_passage, [10] * 4, ConcentrationRule(ratio=2.4)) == ()


def test_concentration_must_last_for_a_share_of_the_tokens() -> None:
    by_passage = np.ones((10, 3))
    by_passage[:2, 2] = 100
    assert concentrated_passages(by_passage, [5, 5, 5]) == ()
    by_passage[:3, 2] = 100
    assert concentrated_passages(by_passage, [5, 5, 5]) == (2,)


def test_one_passage_alone_is_no_concentration() -> None:
    assert concentrated_passages(np.ones((10, 1)), [5]) == ()
