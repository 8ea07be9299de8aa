"""Fit and measure the embedded certainty estimator."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.intervals import Floats
from golden_lab.calibration.fitting import (
    SQUAD,
    SQUAD_FITS,
    CalibrationRun,
    Observation,
    binary_figures,
    fit_logistic,
    held_out_rows,
    observe_squad,
    stored_models,
)
from intrinsics.answerability.embedded import ANSWERABILITY_FEATURES
from intrinsics.certainty.embedded import CERTAINTY_FEATURES, relevance_features
from tools.evidence.features import PASSAGE_FEATURES
from tools.evidence.model import FittedModel, load_model
from tools.language import fold

# The answers of the fit are verbatim sentences, all of them faithful, so the data cannot say what unfaithfulness costs:
# these weights are set so that one sentence contradicted by its passages takes a certainty of 0.9 to about 0.2.
_VERBATIM = 0.98
_SET_BY_HAND = {"weakest_faithfulness": 3.0, "mean_faithfulness": 1.0}


def certainty_table(seen: Sequence[Observation]) -> tuple[Floats, Floats]:
    """Return features and truth of the answer "the nearest sentence": right where it holds a gold answer."""
    answerability = load_model(_stored("intrinsics.answerability"), "answerability", ANSWERABILITY_FEATURES)
    relevance = load_model(_stored("intrinsics.context_relevance"), "relevance", PASSAGE_FEATURES)
    rows, truth = [], []
    for each in seen:
        helpful = relevance.probabilities(each.passage_rows).tolist()
        answerable = float(answerability.probabilities(each.set_row[None, :])[0])
        rows.append([answerable, _VERBATIM, _VERBATIM, *relevance_features(helpful)])
        held = any(fold(answer) in fold(each.nearest_unit) for answer in each.case.answers)
        truth.append(float(each.case.answerable and held))
    return np.array(rows), np.array(truth)


def fit_certainty(rows: Floats, truth: Floats) -> FittedModel:
    """Fit what the data can say and add the weights of faithfulness."""
    fitted = fit_logistic(rows, truth, CERTAINTY_FEATURES, penalty=3.0, signs=dict.fromkeys(CERTAINTY_FEATURES, 1))
    scale, coefficients = list(fitted.scale), list(fitted.coefficients)
    for name, weight in _SET_BY_HAND.items():
        at = CERTAINTY_FEATURES.index(name)
        scale[at], coefficients[at] = 1.0, weight
    return replace(fitted, scale=tuple(scale), coefficients=tuple(coefficients))


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on half of the SQuAD articles with the stored answerability and relevance models, measure on the other."""
    seen = await observe_squad(run)
    rows, truth = certainty_table(seen)
    held_out = held_out_rows("squad2", [each.case.group for each in seen])
    model = fit_certainty(rows[~held_out], truth[~held_out])
    figures = {"squad_held_out_articles": binary_figures(model.probabilities(rows[held_out]), truth[held_out])}
    run.write(
        "intrinsics.certainty",
        "calibration.json",
        stored_models({"certainty": model}),
        fits=(SQUAD_FITS,),
        fitted_on=f"{SQUAD}; the answer is the sentence nearest to the question",
        n=int((~held_out).sum()),
        figures=figures,
        set_by_hand=_SET_BY_HAND,
    )
    return figures


def _stored(package: str) -> Path:
    return Path(str(resources.files(package).joinpath("calibration.json")))
