"""Files in the formats of ALCE and GaRAGe, and a custom threshold from stored answers."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.answer import RefinementRecord, Step
from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.records import TurnRecord
from golden_lab.cli import app
from golden_lab.refinement.calibration import LEAST_DRAFTS, kept_overlaps, render_calibration
from golden_lab.refinement.cases import read_cases
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_library
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.refinement.study_files import alce_row, garage_row, write_study_files
from library.records.turns import TurnStore
from tests.library.records.samples import answer_of, turn_of


def test_both_input_formats_are_read_from_a_folder(tmp_path: Path) -> None:
    found = read_cases(write_study_files(tmp_path, 3))
    assert [(each.shape, each.id) for each in found.cases] == [
        *(("ALCE", f"a{number}") for number in range(3)),
        *(("GaRAGe", f"g{number}") for number in range(3)),
    ]
    first, last = found.cases[0], found.cases[-1]
    assert (first.short_answers, first.relevant) == ((("1 volts",),), ())
    assert first.passages[0].chunk.document_title == "Guide 1"
    assert (last.relevant[:2], last.short_answers) == ((False, True), ())
    assert last.passages[1].text == "The K2 hoist lifts 201 kg on line 1.", "the leading mark is no part of the passage"


def test_cases_with_passages_of_one_kind_only_are_left_out_and_counted(tmp_path: Path) -> None:
    alike = {**garage_row(1), "evidence_relevant": ["Y"] * 6}
    found = read_cases(write_rows(tmp_path / "g.jsonl", [alike, garage_row(2)]))
    assert [each.id for each in found.cases] == ["g2"]
    assert found.notes == ("1 cases whose passages are all relevant or all irrelevant are left out",)


def test_sample_depends_on_the_seed(tmp_path: Path) -> None:
    folder = write_study_files(tmp_path, 8)
    one, other = (read_cases(folder, most=3, seed=seed) for seed in (1, 2))
    assert read_cases(folder, most=3, seed=1) == one
    assert [len(each.cases) for each in (one, other)] == [6, 6]
    assert one.cases != other.cases
    assert one.notes[0] == "3 of 8 cases of the shape ALCE, drawn by seed 1"


def test_row_in_neither_format_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for row, words in [
        ({"docs": []}, "question"),
        ({"question": "Why?"}, "neither"),
        ({"question": "Why?", "docs": []}, "no passages"),
        ({"question": "Why?", "docs": [{"title": "x"}]}, "without text"),
        ({**garage_row(1), "evidence_relevant": ["YES"]}, "YES or NO"),
        ({**garage_row(1), "evidence_relevant": ["MAYBE"] * 6}, "YES or NO"),
        ({**alce_row(1), "qa_pairs": [{"short_answers": 3}]}, "short answer"),
    ]:
        with subtests.test(words=words), pytest.raises(InvalidInput, match=rf"row 2.*{words}"):
            read_cases(write_rows(tmp_path / "x.jsonl", [alce_row(1), row]))


def test_the_threshold_is_the_quantile_and_fires_below_it() -> None:
    text = render_calibration([number / 200 for number in range(200)])
    assert "it sends 40% of them back, the shipped one is 0.65" in text
    assert text.endswith("GOLDEN_REFINEMENT_THRESHOLD=0.398")
    # Drafts with equal overlap are kept together.
    assert "threshold 1 (1 to 1): the 40% quantile; it sends 10% of them back" in render_calibration(
        [1.0] * 180 + [0.2] * 20
    )
    for count in (0, LEAST_DRAFTS - 1):
        assert "0.65 is kept" in render_calibration([0.9] * count), "there are too few drafts"


def test_stored_answers_of_a_language_model_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path))
    given = [_turn(number, by="llm", signal=number / 100) for number in range(101)]
    others = [
        _turn(200, by="embedded", signal=1.0),
        _turn(201, by="llm", signal=0.0, name="grounded"),
        turn_of("without"),
    ]
    with open_library(load_settings()) as library:
        TurnStore(library.engine).add([*given, *others])
        # Two of the newest fifty turns do not count.
        assert len(kept_overlaps(library.engine, limit=50)) == 48
    output = CliRunner().invoke(app, ["calibrate", "refinement"]).output
    assert "101 drafts" in output
    assert "GOLDEN_REFINEMENT_THRESHOLD=0.4" in output


def _turn(number: int, *, by: str, signal: float, name: str = "S3") -> TurnRecord:
    record = RefinementRecord(policy="auto", signal_name=name, signal=min(1.0, signal), threshold=0.65, fired=False)
    step = Step(node="write_answer", finding="", milliseconds=1.0, provenance=Provenance(implementation=by))
    return turn_of(f"t{number}", minutes=number, answer=answer_of(refinement=record, steps=(step,)))
