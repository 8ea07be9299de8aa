"""Fitted models: coefficients in a JSON file, evaluated with NumPy."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from contracts.errors import ConfigurationError
from tools.evidence.matching import Scores


class FittedModel(BaseModel):
    """A logistic model that computes a probability from standardised features.

    ``features`` names the columns. The logit of a row ``x`` is ``intercept + Σ c·(x - m)/s``, where ``m`` and ``s`` are
    the means and scales.
    """

    model_config = ConfigDict(frozen=True)

    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float

    def logits(self, rows: Scores) -> Scores:
        """Return the logit of each row of ``rows``, shape ``(rows, features)``."""
        standard = (rows - np.array(self.mean)) / np.array(self.scale)
        return np.asarray(standard @ np.array(self.coefficients) + self.intercept, dtype=np.float64)

    def probabilities(self, rows: Scores) -> Scores:
        """Return the probability of each row of ``rows``, shape ``(rows, features)``."""
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self.logits(rows), -30.0, 30.0))))


def load_model(path: Path, name: str, features: Sequence[str]) -> FittedModel:
    """Load model ``name`` from the calibration file ``path``; its features must be ``features``, in this order.

    Raises:
        ConfigurationError: the file is missing, is not a calibration file, or has different features.
    """
    try:
        model = FittedModel.model_validate(json.loads(path.read_text("utf-8"))["models"][name])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The calibration file {path} cannot be read ({error!r}): install the package again."
        ) from error
    if model.features != tuple(features):
        raise ConfigurationError(f"The calibration file {path} was fitted with different features: fit {name} again.")
    return model
