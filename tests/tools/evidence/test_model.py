"""Fitted models: loading from JSON and evaluation."""

import json
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from tools.evidence.model import load_model


def stored(**changes: object) -> dict[str, object]:
    model = {"features": ["a", "b"], "mean": [0, 1], "scale": [1, 2], "coefficients": [1, 2], "intercept": -1.0}
    return {"models": {"m": model | changes}}


def test_a_stored_model_gives_the_logistic_of_its_standardised_features(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(stored()), encoding="utf-8")
    model = load_model(path, "m", ["a", "b"])
    logit = -1.0 + 1 * 3.0 + 2 * (5.0 - 1) / 2
    assert model.probabilities(np.array([[3.0, 5.0]]))[0] == pytest.approx(1 / (1 + np.exp(-logit)))


def test_a_broken_file_names_itself(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for content in ["", "{}", '{"models": {"m": {"features": ["a"]}}}']:
        with subtests.test(content=content):
            path = tmp_path / "calibration.json"
            path.write_text(content, encoding="utf-8")
            with pytest.raises(ConfigurationError, match=r"calibration\.json"):
                load_model(path, "m", ["a", "b"])


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(stored()), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="other features"):
        load_model(path, "m", ["b", "a"])
