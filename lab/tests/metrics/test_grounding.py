"""The signals S1, S2 and S3."""

import math

import pytest

from contracts.errors import InvalidInput
from contracts.text import Chunk, Passage
from golden_lab.metrics.answers import answer_similarity, log_probability_gain, passage_overlap


def test_s1_is_the_rouge_l_f1_of_both_answers() -> None:
    assert answer_similarity("the pump runs at 5 bar", "the pump needs oil") == pytest.approx(2 * 2 / (6 + 4))
    assert answer_similarity("the same", "The same.") == 1


def test_s2_is_the_mean_gain_per_token() -> None:
    assert log_probability_gain([-0.5, -1.0, 0.0], [-2.0, -1.5, -1.0]) == pytest.approx((1.5 + 0.5 + 1.0) / 3)


def test_s2_refuses_answers_cut_into_other_tokens() -> None:
    with pytest.raises(InvalidInput, match="2 tokens with passages and 3 without"):
        log_probability_gain([-1, -1], [-1, -1, -1])
    for values in ([], [math.nan], [0.5], [-math.inf]):
        with pytest.raises(InvalidInput):
            log_probability_gain(values, values)


def test_s3_is_the_one_that_the_refiner_decides_by() -> None:
    chunk = Chunk(
        id="1", document_id="d", kind="passage", ordinal=0, text="The pump holds 1,000 bar.", page=1, last_page=1
    )
    passages = [Passage(chunk=chunk, document_name="d", document_title="d", score=0.0)]
    assert passage_overlap("The pump holds 1000 litres [1].", passages) == pytest.approx(3 / 4)
