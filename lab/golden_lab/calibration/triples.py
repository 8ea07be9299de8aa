"""Fit the model that predicts from a candidate's features whether it is the source of a claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.calibration.fitting import CalibrationRun, binary_figures, fit_logistic, stored_models
from golden_lab.results import SplitUse
from golden_lab.triple_attribution.embedded import candidate_features
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.gold_labels import GOLD_ATTRIBUTION, LabelledClaim, labelled_claims
from tools.embedding.base import Embedder


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on the "fit" half of the hand labels in this package, and measure on the other half."""
    rows, truth = await _rows(labelled_claims("fit"), run.embedder)
    model = fit_logistic(rows, truth, FEATURES, signs=SIGNS)
    held, held_truth = await _rows(labelled_claims("score"), run.embedder)
    figures = {
        "fitted_half": binary_figures(model.probabilities(rows), truth),
        "held_out_half": binary_figures(model.probabilities(held), held_truth),
    }
    run.write(
        "golden_lab.triple_attribution",
        "calibration.json",
        stored_models({"support": model}),
        fits=[SplitUse(file=GOLD_ATTRIBUTION, part="fit")],
        fitted_on="golden_lab/triples/gold/attribution.jsonl, half fit",
        n=len(truth),
        figures=figures,
    )
    return figures


async def _rows(claims: Sequence[LabelledClaim], embedder: Embedder) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    features = await candidate_features([each.claim for each in claims], embedder)
    truth = np.array([float(label) for each in claims for label in each.supports])
    return np.concatenate(features), truth
