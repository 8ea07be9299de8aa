"""Fits of weights (compared with scikit-learn), of senses, and of triple attribution on one half of the labels."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from contracts.jargon import Sense
from golden_lab.calibration.fitting import CalibrationRun, binary_figures, fit_choices, fit_logistic, held_out_rows
from golden_lab.calibration.senses import Choice, Outcomes, choose_threshold, fit_weights, outcomes
from golden_lab.calibration.triples import calibrate
from golden_lab.splits import half
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.gold_labels import labelled_claims
from tests.hashing_embedder import HashingEmbedder
from tools.evidence.model import load_model
from tools.jargon.sense_evidence import SenseWeights
from tools.jargon.sense_uses import SenseUse

LETTERS = ("a", "b", "c")


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(400, 3)) * [1.0, 5.0, 0.1] + [0.0, 2.0, -1.0]
    logits = 1.5 * rows[:, 0] - 0.4 * rows[:, 1] + 0.3
    return rows, (generator.random(400) < 1 / (1 + np.exp(-logits))).astype(np.float64)


def test_fit_matches_scikit_learn_and_respects_required_signs(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    model = fit_logistic(rows, truth, LETTERS, penalty=2.0)
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    reference = LogisticRegression(C=1 / 2.0).fit(standard, truth)
    assert model.probabilities(rows) == pytest.approx(reference.predict_proba(standard)[:, 1], abs=1e-3)
    model = fit_logistic(rows, truth, LETTERS, signs={"b": 1, "a": 1})
    assert model.coefficients[1] == 0.0
    assert model.coefficients[0] > 0.0


def test_figures_match_scikit_learn(sample: tuple[np.ndarray, np.ndarray]) -> None:
    rows, truth = sample
    probabilities = 1 / (1 + np.exp(-np.round(rows[:, 0], 1)))
    figures = binary_figures(probabilities, truth, 0.55)
    predicted = (probabilities >= 0.55).astype(np.float64)
    assert figures["auroc"] == pytest.approx(roc_auc_score(truth, probabilities), abs=1e-4)
    assert figures["weighted_f1"] == pytest.approx(f1_score(truth, predicted, average="weighted"), abs=1e-4)
    assert figures["passed_of_positives"] == pytest.approx(predicted[truth > 0].mean(), abs=1e-4)
    assert figures["refused_of_negatives"] == pytest.approx(1 - predicted[truth == 0].mean(), abs=1e-4)
    assert figures["n"] == 400.0


def test_choice_of_two_options_is_logistic_regression_of_the_difference(sample: tuple[np.ndarray, np.ndarray]) -> None:
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


SENSES = (Sense(id=0, term="T", extended_name="a"), Sense(id=1, term="T", extended_name="b"))


def choice(right: int, *, told: bool, noise: float) -> Choice:
    """Make a choice of two senses: the uses show the right one if ``told``; the first has the likeness ``noise``."""
    uses = tuple(SenseUse(sense_id=right, likeness=0.6) for _ in range(3)) if told else ()
    return Choice(senses=SENSES, evidence=np.array([[noise, 0.0], [0.0, 0.0]]), uses=uses, right=right)


def test_informative_feature_gets_weight_and_uninformative_one_gets_none() -> None:
    rng = np.random.default_rng(5)
    made = [choice(int(rng.integers(2)), told=True, noise=float(rng.normal())) for _ in range(200)]
    fitted, loss = fit_weights([made], SenseWeights.stored())
    assert fitted.uses > 1.0
    assert fitted.similarity == pytest.approx(0.0, abs=0.3)
    assert loss < np.log(2)
    assert outcomes(made, fitted).right.mean() > 0.95


def test_thresholds_ask_back_if_the_best_sense_is_wrong_too_often() -> None:
    sure = np.full(50, 0.95)
    doubtful = np.full(50, 0.55)
    right = np.concatenate([np.ones(50), np.tile([1.0, 0.0], 25)])
    first = np.concatenate([sure, doubtful])
    made = Outcomes(first=first, right=right)
    least = choose_threshold([made])
    assert made.decided(least) == (0.5, 1.0)
    assert made.decided(0.0) == (1.0, 0.75)
    assert made.cost(least) < made.cost(0.0)


async def test_fits_on_one_half_and_evaluates_on_the_other(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    run = CalibrationRun(name="triples", data=tmp_path, scratch=tmp_path, embedder=HashingEmbedder(), out=path)
    figures = await calibrate(run)
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert figures["held_out_half"]["n"] == sum(len(each.supports) for each in labelled_claims("score"))
    assert stored["n"] == sum(len(each.supports) for each in labelled_claims("fit"))
    assert stored["fits"] == [{"file": "golden_lab/triples/gold/attribution.jsonl", "part": "fit"}]
    model = load_model(path, "support", FEATURES)
    for name, value in zip(FEATURES, model.coefficients, strict=True):
        assert value * SIGNS[name] >= 0, name


def test_held_out_rows_are_those_of_the_half_that_is_scored() -> None:
    groups = [f"article {number}" for number in range(20)]
    assert held_out_rows("wice", groups).tolist() == [half("wice", each) == "score" for each in groups]
