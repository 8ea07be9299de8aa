"""A threshold of one's own from kept answers."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.answer import RefinementRecord, Step
from contracts.provenance import Provenance
from contracts.records import TurnRecord
from golden_lab.cli import app
from golden_lab.refinement.calibration import LEAST_DRAFTS, kept_overlaps, render_calibration
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_library
from library.records.turns import TurnStore
from tests.library.records.samples import answer_of, turn_of


def test_the_threshold_is_the_quantile_and_fires_below_it() -> None:
    text = render_calibration([number / 200 for number in range(200)])
    assert "it sends 40% of them back, the shipped one is 0.65" in text
    assert text.endswith("GOLDEN_REFINEMENT_THRESHOLD=0.398")
    # Drafts of equal overlap are kept together.
    assert "threshold 1 (1 to 1): the 40% quantile; it sends 10% of them back" in render_calibration(
        [1.0] * 180 + [0.2] * 20
    )


def test_of_few_drafts_nothing_is_made() -> None:
    for count in (0, LEAST_DRAFTS - 1):
        assert "0.65 stands" in render_calibration([0.9] * count)


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
        # The newest fifty turns: two do not count.
        assert len(kept_overlaps(library.engine, limit=50)) == 48
    output = CliRunner().invoke(app, ["calibrate", "refinement"]).output
    assert "101 drafts" in output
    assert "GOLDEN_REFINEMENT_THRESHOLD=0.4" in output


def _turn(number: int, *, by: str, signal: float, name: str = "S3") -> TurnRecord:
    record = RefinementRecord(policy="auto", signal_name=name, signal=min(1.0, signal), threshold=0.65, fired=False)
    step = Step(node="write_answer", finding="", milliseconds=1.0, provenance=Provenance(implementation=by))
    return turn_of(f"t{number}", minutes=number, answer=answer_of(refinement=record, steps=(step,)))
