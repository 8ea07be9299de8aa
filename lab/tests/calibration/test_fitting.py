"""Fitting and its figures, against scikit-learn."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from golden_lab.calibration.fitting import auroc, binary_figures, fit_logistic, shifted, weighted_f1, write_calibration
from tools.evidence.model import load_model

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


def test_a_shift_moves_the_operating_point_and_keeps_the_order(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    model = fit_logistic(rows, truth, FEATURES)
    moved = shifted(model, 1.0)
    assert moved.logits(rows) == pytest.approx(model.logits(rows) + 1.0)
    assert auroc(moved.logits(rows), truth) == auroc(model.logits(rows), truth)


def test_the_figures_are_those_of_scikit_learn(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    scores = np.round(rows[:, 0], 1)
    assert auroc(scores, truth) == pytest.approx(roc_auc_score(truth, scores))
    predicted = (scores > 0.2).astype(np.float64)
    assert weighted_f1(predicted, truth) == pytest.approx(f1_score(truth, predicted, average="weighted"))
    assert binary_figures(scores, truth, 0.2)["n"] == 400.0


def test_a_written_model_is_read_again(sample: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    rows, truth = sample
    model = fit_logistic(rows, truth, FEATURES)
    write_calibration(tmp_path / "calibration.json", {"m": model}, {"seed": 3})
    again = load_model(tmp_path / "calibration.json", "m", FEATURES)
    assert again.probabilities(rows) == pytest.approx(model.probabilities(rows), abs=1e-4)
