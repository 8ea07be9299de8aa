"""Scoring ways to attribute: on models that are known by hand, and by the command over a model in a folder."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from contracts.errors import InvalidInput

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.attribution.report import (  # noqa: E402
    make_report,
    measure_attribution,
    render,
)
from golden_lab.causal_attribution import AnswerRelevance  # noqa: E402
from golden_lab.causal_attribution.gradient import InputGradientAttributor  # noqa: E402
from golden_lab.causal_attribution.model import LocalCausalModel  # noqa: E402
from golden_lab.cli import app  # noqa: E402
from golden_lab.refinement.cases import read_cases  # noqa: E402
from lab.tests.causal_attribution.models import LinearCausalModule, tiny_llama  # noqa: E402
from lab.tests.causal_attribution.tokens import word_tokenizer  # noqa: E402

QUESTIONS = (
    ("How long does the DLL lock ?", "The DLL needs 512 cycles .", "Penguins swim in cold water ."),
    ("What is VPP ?", "VPP is 2.5 V .", "Bread is baked for an hour ."),
    ("What is tRC ?", "tRC is 45 ns .", "A gate is closed at night ."),
)


class Opposite:
    """Attributes the opposite of what is so."""

    name = "opposite"

    def __init__(self, model: LocalCausalModel) -> None:
        self._right = InputGradientAttributor(model)

    def attribute(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> AnswerRelevance:
        right = self._right.attribute(prompt, answer)
        return AnswerRelevance(scores=-right.scores, logits=right.logits, targets=right.targets, whole=-right.whole)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [
        {"id": str(number), "question": question, "grounding": [good, bad], "evidence_relevant": ["YES", "NO"]}
        for number, (question, good, bad) in enumerate(QUESTIONS)
    ]
    path = tmp_path / "garage.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def linear() -> LocalCausalModel:
    tokenizer = word_tokenizer([text for row in QUESTIONS for text in row])
    return LocalCausalModel(LinearCausalModule(vocabulary=len(tokenizer)), tokenizer, name="linear")


def test_the_right_attribution_is_faithful_and_its_opposite_is_not(data: Path) -> None:
    model = linear()
    outcomes = measure_attribution(model, [InputGradientAttributor(model), Opposite(model)], read_cases(data).cases)  # type: ignore[list-item]
    report = make_report(outcomes, model=model.name, seed=1)
    right, wrong = report.methods
    assert right.questions == 3
    assert right.positive == 3
    assert right.abpc.low > 0 > wrong.abpc.high
    assert right.conservation is not None
    assert right.conservation.value == pytest.approx(1)
    assert right.abpc.value == pytest.approx(-wrong.abpc.value)
    (pair,) = report.pairs
    assert pair.difference.value == pytest.approx(2 * right.abpc.value)
    # Of two passages both are among the first three: half of what is used is irrelevant.
    assert right.used_share == 1
    assert right.flagged_share == pytest.approx(0.5)
    assert "input-x-gradient − opposite" in render(report)


def test_a_report_needs_a_question() -> None:
    with pytest.raises(InvalidInput):
        make_report([], model="x", seed=1)


def test_the_command_measures_a_model_in_a_folder(data: Path, tmp_path: Path) -> None:
    tokenizer = word_tokenizer([text for row in QUESTIONS for text in row])
    folder = tmp_path / "tiny"
    tokenizer.save_pretrained(folder)
    tiny_llama(tokenizer, vocabulary=len(tokenizer)).module.save_pretrained(folder)
    out = tmp_path / "report.md"
    asked = ["attribution", "--data", str(data), "--model", str(folder), "--tokens", "3", "--points", "4"]
    told = CliRunner().invoke(app, [*asked, "--out", str(out), "--json"])
    assert told.exit_code == 0, told.output
    report = json.loads(told.stdout)
    assert [each["method"] for each in report["methods"]] == ["input-x-gradient", "integrated-gradients-16"]
    assert all(np.isfinite(each["abpc"]["value"]) for each in report["methods"])
    # On so small a model the clock says nothing of the work: how much dearer one is than the other is for a benchmark.
    assert all(0 < each["cost"] < np.inf for each in report["methods"])
    assert out.read_text(encoding="utf-8").startswith("# Attribution on tiny")
