"""A threshold of one's own, from a file of drafts and from kept answers."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from contracts.answer import RefinementRecord, Step
from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.records import TurnRecord
from golden_lab.cli import app
from golden_lab.refinement.calibrating import LEAST_DRAFTS, calibrate, read_overlaps
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_library
from library.records.turns import TurnStore
from tests.library.records.samples import answer_of, turn_of


def test_the_threshold_is_the_quantile_and_fires_below_it() -> None:
    signals = [number / 200 for number in range(200)]
    found = calibrate(signals)
    assert found.threshold == pytest.approx(np.quantile(signals, 0.4), abs=1e-4)
    assert found.share_below == pytest.approx(0.4)
    assert found.low < found.threshold < found.high
    assert calibrate(signals, quantile=0.1).threshold == pytest.approx(0.0995)


def test_drafts_of_equal_overlap_are_kept_together() -> None:
    found = calibrate([1.0] * 180 + [0.2] * 20)
    assert (found.threshold, found.share_below) == (1.0, 0.1)


@pytest.mark.parametrize("count", [0, LEAST_DRAFTS - 1])
def test_of_few_drafts_nothing_is_made(count: int) -> None:
    found = calibrate([0.9] * count)
    assert (found.threshold, found.enough, found.drafts) == (0.65, False, count)
    assert found.share_below == 0.0


@pytest.mark.parametrize(("signals", "quantile"), [([1.2], 0.4), ([0.5], 0.0), ([0.5], 1.0), ([float("nan")], 0.4)])
def test_what_cannot_be_is_refused(signals: list[float], quantile: float) -> None:
    with pytest.raises(InvalidInput):
        calibrate(signals, quantile=quantile)


def test_a_file_of_drafts_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "drafts.jsonl"
    rows = [{"draft": "The pump flies [1].", "passages": ["The pump runs."]}, {"draft": "", "passages": []}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert read_overlaps(path) == (0.5, 1.0)
    path.write_text('{"draft": "x", "passages": "y"}')
    with pytest.raises(InvalidInput, match="draft 1"):
        read_overlaps(path)


def test_kept_answers_of_a_language_model_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path))
    given = [_turn(number, by="llm", signal=number / 100) for number in range(101)]
    others = [
        _turn(200, by="embedded", signal=1.0),
        _turn(201, by="llm", signal=0.0, name="grounded"),
        turn_of("without"),
    ]
    with open_library(load_settings()) as library:
        TurnStore(library.engine).add([*given, *others])
    told = CliRunner().invoke(app, ["calibrate", "refinement", "--json"])
    assert json.loads(told.output)["drafts"] == 101
    assert "GOLDEN_REFINEMENT_THRESHOLD=0.4" in CliRunner().invoke(app, ["calibrate", "refinement"]).output
    # The newest fifty are below: none of the others is read.
    few = CliRunner().invoke(app, ["calibrate", "refinement", "--turns", "50"]).output
    assert "too few" in few
    assert "0.65 stands" in few


def _turn(number: int, *, by: str, signal: float, name: str = "S3") -> TurnRecord:
    record = RefinementRecord(policy="auto", signal_name=name, signal=min(1.0, signal), threshold=0.65, fired=False)
    step = Step(node="write_answer", finding="", milliseconds=1.0, provenance=Provenance(implementation=by))
    return turn_of(f"t{number}", minutes=number, answer=answer_of(refinement=record, steps=(step,)))
