"""Fitting attribution on one half of the labels."""

import json
from pathlib import Path

from golden_lab.triple_attribution import embedded
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.fitting import fit_support
from golden_lab.triples.gold_labels import labelled_claims
from tools.embedding.hashing import HashingEmbedder
from tools.evidence.model import load_model


async def test_fits_on_one_half_and_reports_the_other(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    figures = await fit_support(HashingEmbedder(), path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert figures["n"] == sum(len(each.supports) for each in labelled_claims("score"))
    assert stored["n"] == sum(len(each.supports) for each in labelled_claims("fit"))
    assert stored["fits"] == [{"file": "golden_lab/triples/gold/attribution.jsonl", "part": "fit"}]
    model = load_model(path, "support", FEATURES)
    for name, value in zip(FEATURES, model.coefficients, strict=True):
        assert value * SIGNS[name] >= 0, name


def test_the_stored_fit_is_for_these_features() -> None:
    path = Path(embedded.__file__).with_name("calibration.json")
    assert load_model(path, "support", FEATURES).features == FEATURES
    assert json.loads(path.read_text(encoding="utf-8"))["fits"][0]["part"] == "fit"
