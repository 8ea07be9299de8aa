"""Fit what a candidate's features say of its being a claim's source: ``python -m golden_lab.triples.fitting``."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from golden_lab.calibration.fitting import binary_figures, fit_logistic, write_calibration
from golden_lab.triple_attribution.embedded import candidate_features
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.gold_labels import GOLD_ATTRIBUTION, LabelledClaim, labelled_claims
from tools.embedding.base import Embedder

_PENALTY = 1.0


async def fit_support(embedder: Embedder, path: Path) -> dict[str, float]:
    """Fit the model on the half "fit" of the hand labels, write it to ``path`` and return its figures on "score"."""
    rows, truth = await _rows(labelled_claims("fit"), embedder)
    model = fit_logistic(rows, truth, FEATURES, penalty=_PENALTY, signs=SIGNS)
    held, held_truth = await _rows(labelled_claims("score"), embedder)
    figures = {
        "fitted_half": binary_figures(model.probabilities(rows), truth),
        "held_out_half": binary_figures(model.probabilities(held), held_truth),
    }
    about = {
        "command": "python -m golden_lab.triples.fitting",
        "fitted_on": "golden_lab/triples/gold/attribution.jsonl, half fit",
        "fits": [{"file": GOLD_ATTRIBUTION, "part": "fit"}],
        "n": len(truth),
        "embedder": embedder.name,
        "figures": figures,
    }
    write_calibration(path, {"support": model}, about)
    return figures["held_out_half"]


async def _rows(claims: Sequence[LabelledClaim], embedder: Embedder) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    features = await candidate_features([each.claim for each in claims], embedder)
    truth = np.array([float(label) for each in claims for label in each.supports])
    return np.concatenate(features), truth


def main() -> None:
    """Fit with the bundled embedding model and write the calibration beside the attributor."""
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    embedder = OnnxEmbedder(find_default_model(), Path(tempfile.gettempdir()))
    path = Path(sys.modules[candidate_features.__module__].__file__ or "").with_name("calibration.json")
    sys.stdout.write(json.dumps(asyncio.run(fit_support(embedder, path)), indent=1) + "\n")


if __name__ == "__main__":
    main()
