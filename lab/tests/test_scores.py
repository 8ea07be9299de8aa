"""The three ways to a score: its value, its interval, and what it is told of itself."""

import pytest

from contracts.errors import InvalidInput
from golden_lab.results import Score
from golden_lab.scores import mean_score, rate_score, statistic_score


def test_a_mean_with_its_bootstrap_interval() -> None:
    score = mean_score("nDCG@5", [0.0, 0.5, 1.0, 0.5], seed=7, system="hybrid", subset="cloud")
    assert (score.metric, score.value, score.n) == ("nDCG@5", 0.5, 4)
    assert (score.system, score.subset, score.higher_is_better) == ("hybrid", "cloud", True)
    assert 0 <= score.low < 0.5 < score.high <= 1
    assert score == mean_score("nDCG@5", [0.0, 0.5, 1.0, 0.5], seed=7, system="hybrid", subset="cloud")


def test_a_share_with_wilson_s_interval() -> None:
    # All of five: the lower bound is 5 / (5 + 1.96^2), known for shares of 1.
    assert rate_score("accuracy", [True] * 5, subset="hard") == Score(
        metric="accuracy", value=1.0, low=pytest.approx(5 / (5 + 1.959964**2), abs=1e-6), high=1.0, n=5, subset="hard"
    )


def test_nothing_measured_is_no_score() -> None:
    for made in (
        lambda: mean_score("m", [], seed=1),
        lambda: rate_score("m", []),
        lambda: statistic_score("m", lambda rows: 1.0, 0, seed=1),
    ):
        with pytest.raises(InvalidInput):
            made()
