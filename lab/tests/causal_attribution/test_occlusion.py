"""Occlusion curves of a model that is known by hand."""

import numpy as np
import pytest

from contracts.errors import InvalidInput

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.causal_attribution.gradient import InputGradientAttributor  # noqa: E402
from golden_lab.causal_attribution.occlusion import occlusion_curves  # noqa: E402
from lab.tests.causal_attribution.models import linear_model, tiny_llama  # noqa: E402

PROMPT, TARGET = (3, 1, 4, 1, 5, 9, 2), 6


def relevance() -> np.ndarray:
    return InputGradientAttributor(linear_model()).attribute(PROMPT, (TARGET,)).scores[0]


def test_of_a_linear_model_each_token_taken_takes_its_relevance_from_the_logit() -> None:
    curves = occlusion_curves(linear_model(), PROMPT, TARGET, relevance(), points=6, as_logit=True)
    order = np.sort(relevance()[1:])[::-1]
    whole = relevance().sum()
    np.testing.assert_allclose(curves.shares, np.arange(7) / 6)
    np.testing.assert_allclose(curves.morf, whole - np.concatenate([[0], np.cumsum(order)]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(curves.lerf, whole - np.concatenate([[0], np.cumsum(order[::-1])]), rtol=1e-9, atol=1e-9)
    assert curves.abpc > 0


def test_the_opposite_attribution_has_the_opposite_area() -> None:
    right = occlusion_curves(linear_model(), PROMPT, TARGET, relevance(), as_logit=True)
    wrong = occlusion_curves(linear_model(), PROMPT, TARGET, -relevance(), as_logit=True)
    assert wrong.abpc == pytest.approx(-right.abpc)


def test_both_curves_begin_and_end_alike_and_probabilities_stay_such() -> None:
    model = tiny_llama()
    prompt = tuple(range(5, 35))
    scores = InputGradientAttributor(model).attribute(prompt, (9,)).scores[0]
    curves = occlusion_curves(model, prompt, 9, scores, points=10)
    assert len(curves.shares) == len(curves.morf) == len(curves.lerf) == 11
    assert (curves.shares[0], curves.shares[-1]) == (0, 1)
    assert curves.morf[0] == curves.lerf[0]
    assert curves.morf[-1] == curves.lerf[-1]
    assert all(0 <= value <= 1 for value in (*curves.morf, *curves.lerf))


def test_what_cannot_be_occluded_is_refused() -> None:
    with pytest.raises(InvalidInput, match="two tokens"):
        occlusion_curves(linear_model(), (1,), 2, np.zeros(1))
    with pytest.raises(InvalidInput, match="7 tokens"):
        occlusion_curves(linear_model(), PROMPT, TARGET, np.zeros(3))
