"""Fits of weights: of senses, and of the attribution of triples on one half of the labels."""

import json
from pathlib import Path

import numpy as np
import pytest

from contracts.jargon import Sense
from golden_lab.calibration.fitting import CalibrationRun
from golden_lab.calibration.senses import Choice, Outcomes, choose_threshold, fit_weights, outcomes
from golden_lab.calibration.triples import calibrate
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.gold_labels import labelled_claims
from tests.hashing_embedder import HashingEmbedder
from tools.evidence.model import load_model
from tools.jargon.sense_evidence import SenseWeights
from tools.jargon.sense_uses import SenseUse

SENSES = (Sense(id=0, term="T", extended_name="a"), Sense(id=1, term="T", extended_name="b"))


def choice(right: int, *, told: bool, noise: float) -> Choice:
    """Make a choice of two senses that the uses tell where ``told``; the likeness says ``noise`` for the first."""
    uses = tuple(SenseUse(sense_id=right, likeness=0.6) for _ in range(3)) if told else ()
    return Choice(senses=SENSES, evidence=np.array([[noise, 0.0], [0.0, 0.0]]), uses=uses, right=right)


def test_uses_that_tell_get_weight_and_likeness_that_tells_nothing_gets_none() -> None:
    rng = np.random.default_rng(5)
    made = [choice(int(rng.integers(2)), told=True, noise=float(rng.normal())) for _ in range(200)]
    fitted, loss = fit_weights([made], SenseWeights.stored())
    assert fitted.uses > 1.0
    assert fitted.similarity == pytest.approx(0.0, abs=0.3)
    assert loss < np.log(2)
    assert outcomes(made, fitted).right.mean() > 0.95


def test_thresholds_ask_back_where_the_best_is_wrong_too_often() -> None:
    sure = np.full(50, 0.95)
    doubtful = np.full(50, 0.55)
    right = np.concatenate([np.ones(50), np.tile([1.0, 0.0], 25)])
    first = np.concatenate([sure, doubtful])
    made = Outcomes(first=first, right=right)
    least = choose_threshold([made])
    assert made.decided(least) == (0.5, 1.0)
    assert made.decided(0.0) == (1.0, 0.75)
    assert made.cost(least) < made.cost(0.0)


async def test_fits_on_one_half_and_reports_the_other(tmp_path: Path) -> None:
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
