"""Fitting: logistic models with signs that reason demands, their figures, and the file they are stored in."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.metrics import probability
from tools.evidence.model import FittedModel

Floats = NDArray[np.float64]


def fit_logistic(
    rows: Floats,
    truth: Floats,
    features: Sequence[str],
    *,
    weights: Floats | None = None,
    penalty: float = 1.0,
    signs: Mapping[str, int] | None = None,
    steps: int = 4_000,
) -> FittedModel:
    """Fit a logistic regression with an L2 penalty by projected gradient descent.

    ``signs`` holds a coefficient at or above 0 (1) or at or below 0 (-1): a feature that means "more evidence" cannot
    speak against an answer, whatever a chance of the sample would have it.
    """
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-6, scale, 1.0)
    standard = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    weight = np.ones(len(rows)) if weights is None else weights
    weight = weight / weight.mean()
    wanted = np.array([(signs or {}).get(name, 0) for name in features] + [0])
    rate = 4.0 / np.linalg.eigvalsh(standard.T @ (standard * weight[:, None]) / len(rows))[-1]
    theta, momentum = np.zeros(standard.shape[1]), np.zeros(standard.shape[1])
    ridge = np.append(np.full(len(features), penalty / len(rows)), 0.0)
    for step in range(steps):
        ahead = theta + step / (step + 3) * (theta - momentum)
        error = 1 / (1 + np.exp(-standard @ ahead)) - truth
        moved = ahead - rate * 0.9 * (standard.T @ (error * weight) / len(rows) + ridge * ahead)
        moved = np.where((wanted > 0) & (moved < 0) | (wanted < 0) & (moved > 0), 0.0, moved)
        momentum, theta = theta, moved
    return FittedModel(
        features=tuple(features),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        coefficients=tuple(theta[:-1].tolist()),
        intercept=float(theta[-1]),
    )


def shifted(model: FittedModel, shift: float, slope: float = 1.0) -> FittedModel:
    """Return ``model`` with its logit times ``slope`` plus ``shift``: the operating point moves, the order stays."""
    return FittedModel(
        features=model.features,
        mean=model.mean,
        scale=model.scale,
        coefficients=tuple(slope * each for each in model.coefficients),
        intercept=slope * model.intercept + shift,
    )


def auroc(scores: Floats, truth: Floats) -> float:
    """Return the area under the ROC curve: NaN where all cases are of one class."""
    true = truth > 0.5
    return probability.auroc(scores, true) if true.any() and not true.all() else float("nan")


def class_f1(predicted: Floats, truth: Floats, label: int) -> float:
    """Return the F1 of one class; 0 where it is never predicted right."""
    hits = float(((predicted == label) & (truth == label)).sum())
    total = float((predicted == label).sum() + (truth == label).sum())
    return 2 * hits / total if total else 0.0


def weighted_f1(predicted: Floats, truth: Floats) -> float:
    """Return the F1 of both classes weighted by their frequency."""
    share = float(truth.mean())
    return share * class_f1(predicted, truth, 1) + (1 - share) * class_f1(predicted, truth, 0)


def binary_figures(probabilities: Floats, truth: Floats, threshold: float = 0.5) -> dict[str, float]:
    """Return the usual figures of a yes-or-no judgement at ``threshold``."""
    predicted = (probabilities >= threshold).astype(np.float64)
    positives, negatives = truth > 0.5, truth <= 0.5
    found = {
        "n": float(len(truth)),
        "positive_share": float(truth.mean()),
        "auroc": auroc(probabilities, truth),
        "weighted_f1": weighted_f1(predicted, truth),
        "f1_positive": class_f1(predicted, truth, 1),
        "f1_negative": class_f1(predicted, truth, 0),
        "passed_of_positives": float(predicted[positives].mean()) if positives.any() else float("nan"),
        "refused_of_negatives": float(1 - predicted[negatives].mean()) if negatives.any() else float("nan"),
        "brier": float(((probabilities - truth) ** 2).mean()),
    }
    return {name: round(value, 4) for name, value in found.items()}


def write_calibration(path: Path, models: Mapping[str, FittedModel], about: Mapping[str, Any]) -> None:
    """Write ``models`` with ``about`` (source data set, split, n, seed, figures) and today's date to ``path``."""
    document = {
        **about,
        "date": datetime.now(UTC).date().isoformat(),
        "models": {name: model_values(model) for name, model in models.items()},
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def model_values(model: FittedModel) -> dict[str, Any]:
    """Return ``model`` as it is written to a calibration file."""
    return {
        "features": list(model.features),
        "mean": [round(each, 6) for each in model.mean],
        "scale": [round(each, 6) for each in model.scale],
        "coefficients": [round(each, 6) for each in model.coefficients],
        "intercept": round(model.intercept, 6),
    }
