"""Attribution is fitted on one half of the labels and measured on the other."""

import json
from pathlib import Path

from golden_lab.calibration.fitting import CalibrationRun
from golden_lab.calibration.triples import calibrate
from golden_lab.triple_attribution.features import FEATURES, SIGNS
from golden_lab.triples.gold_labels import labelled_claims
from tests.hashing_embedder import HashingEmbedder
from tools.evidence.model import load_model


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
