"""Exporting by the command line: what it says, what it refuses, and what becomes of a report's scores."""

import json
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.wiring.model_export import reported_scores, trained_prompt
from golden_retriever.settings import load_settings

RESULTS = Path(__file__).resolve().parents[3] / "docs" / "results"


def test_the_prompt_of_an_intrinsic_is_the_one_in_force() -> None:
    settings = load_settings()
    published = trained_prompt(settings, "answerability")
    assert published.adapter is not None
    assert (published.adapter.model, published.in_messages) == ("answerability_prediction", False)
    own = trained_prompt(settings, "answerability", messages=True)
    assert own.in_messages
    assert own.prompt_file is not None
    assert own.prompt_file.name == "llm.toml"
    with pytest.raises(InvalidInput, match="runs on no adapter: name one of answer_generation"):
        trained_prompt(settings, "answerabilty")


def test_scores_come_from_a_report_of_golden_eval(tmp_path: Path) -> None:
    report = json.loads((RESULTS / "embedded.json").read_text("utf-8"))
    of_one = [each for each in report["benchmarks"] if each["about"]["intrinsic"] == "answerability"]
    found = reported_scores(RESULTS / "embedded.json", "answerability")
    assert len(found) == sum(len(each["scores"]) for each in of_one)
    assert {each.revision for each in found} == {report["revision"]}
    assert all(each.low <= each.value <= each.high for each in found)
    assert len(reported_scores(RESULTS / "embedded.json")) > len(found)
    with pytest.raises(InvalidInput, match="holds no score of nothing"):
        reported_scores(RESULTS / "embedded.json", "nothing")
    (tmp_path / "else.json").write_text("{}", "utf-8")
    with pytest.raises(InvalidInput, match="is no report"):
        reported_scores(tmp_path / "else.json")
    with pytest.raises(InvalidInput, match="is not there"):
        reported_scores(tmp_path / "none.json")
