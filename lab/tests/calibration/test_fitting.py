"""Fitting and its figures, against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from golden_lab.calibration.fitting import binary_figures, fit_choices, fit_logistic

FEATURES = ("a", "b", "c")


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(400, 3)) * [1.0, 5.0, 0.1] + [0.0, 2.0, -1.0]
    logits = 1.5 * rows[:, 0] - 0.4 * rows[:, 1] + 0.3
    return rows, (generator.random(400) < 1 / (1 + np.exp(-logits))).astype(np.float64)


def test_the_fit_is_that_of_scikit_learn(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    model = fit_logistic(rows, truth, FEATURES, penalty=2.0)
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    reference = LogisticRegression(C=1 / 2.0).fit(standard, truth)
    assert model.probabilities(rows) == pytest.approx(reference.predict_proba(standard)[:, 1], abs=1e-3)


def test_a_sign_is_held(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    model = fit_logistic(rows, truth, FEATURES, signs={"b": 1, "a": 1})
    assert model.coefficients[1] == 0.0
    assert model.coefficients[0] > 0.0


def test_the_figures_are_those_of_scikit_learn(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    probabilities = 1 / (1 + np.exp(-np.round(rows[:, 0], 1)))
    figures = binary_figures(probabilities, truth, 0.55)
    predicted = (probabilities >= 0.55).astype(np.float64)
    assert figures["auroc"] == pytest.approx(roc_auc_score(truth, probabilities), abs=1e-4)
    assert figures["weighted_f1"] == pytest.approx(f1_score(truth, predicted, average="weighted"), abs=1e-4)
    assert figures["passed_of_positives"] == pytest.approx(predicted[truth > 0].mean(), abs=1e-4)
    assert figures["refused_of_negatives"] == pytest.approx(1 - predicted[truth == 0].mean(), abs=1e-4)
    assert figures["n"] == 400.0


def test_of_two_options_a_choice_is_a_logistic_regression_of_their_difference(
    sample: tuple[np.ndarray, np.ndarray],
) -> None:
    rows, truth = sample
    choices = [
        (np.array([row, np.zeros(3)]), np.array([right == 1, right == 0]))
        for row, right in zip(rows, truth, strict=True)
    ]
    ridge = np.full(3, 1 / (2 * len(rows)))
    weights, _ = fit_choices([choices], penalty=ridge, lowest=[None] * 3, start=np.zeros(3))
    reference = LogisticRegression(C=1.0, fit_intercept=False).fit(rows, truth)
    assert weights == pytest.approx(reference.coef_[0], abs=1e-3)
    assert fit_choices([choices], penalty=ridge, lowest=[None, 0.0, None], start=np.zeros(3))[0][1] == 0.0
