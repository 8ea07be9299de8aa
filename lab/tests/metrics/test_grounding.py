"""The signals S1, S2 and S3."""

import math

import pytest

from contracts.errors import InvalidInput
from golden_lab.metrics.answers import log_probability_gain


def test_s2_is_the_mean_gain_per_token() -> None:
    assert log_probability_gain([-0.5, -1.0, 0.0], [-2.0, -1.5, -1.0]) == pytest.approx((1.5 + 0.5 + 1.0) / 3)


def test_s2_refuses_answers_cut_into_other_tokens() -> None:
    with pytest.raises(InvalidInput, match="2 against 3 values"):
        log_probability_gain([-1, -1], [-1, -1, -1])
    for values in ([], [math.nan], [0.5], [-math.inf]):
        with pytest.raises(InvalidInput):
            log_probability_gain(values, values)
