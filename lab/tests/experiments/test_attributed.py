"""Models under conditions, scored by TRIFEX: numbers counted by hand, differences to the base, the decomposition."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from golden_lab.experiments.answers import ArmServices
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.report import report_as_markdown
from golden_lab.experiments.run import ExperimentReport, run_experiment
from golden_lab.metrics.text import rouge_l
from lab.tests.experiments.samples import arms_chat, conditions_file, engine_with, experiment
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest

TEXT = """
name = "two"
description = "Two models under two conditions."
source = "a test"
scorer = "trifex"
cases = "conditions"
pairs = [["tuned", "base"]]
published_on = "other data"

[[arms]]
name = "base"
model = "base"
context = "given"

[[arms]]
name = "tuned"
model = "adapter"
context = "given"

[[published]]
arm = "base"
condition = "none"
by = "TRIFEX"
values = { f1 = 0.6128 }
"""
REFERENCE = "The kettle boils one litre. The handle is made of wood."
# What each model says of the kettle, whatever it is given.
SAID = {
    "base": "The kettle draws 2000 W. The handle is made of wood. The lid plays music.",
    "adapter": "The handle is made of wood.",
}


def line(at: int, condition: str, chunks: Sequence[str]) -> dict[str, object]:
    return {
        "id": f"t{at:02}", "source": "d", "condition": condition, "query": "The kettle shall boil one litre.",
        "chunks": list(chunks), "relevant": [True] * len(chunks), "reference": REFERENCE,
        "messages": [{"role": "user", "content": f"{condition} {at}"}],
    }  # fmt: skip


def says(request: ChatRequest) -> str:
    return SAID[request.model]


async def run(folder: Path, chat: ScriptedChatModel, *, count: int) -> ExperimentReport:
    found = experiment(folder, TEXT)
    rows = [line(at, name, chunks) for at in range(count)
            for name, chunks in (("none", ()), ("relevant", ("The kettle draws 2000 W.",)))]  # fmt: skip
    file = conditions_file(folder / "test.jsonl", rows)
    engine = engine_with()
    bench = ArmServices(chat=chat, models={"base": "base", "tuned": "adapter"}, services=engine.judges)
    return await run_experiment(found, read_cases(found, file), file, bench, engine, folder / "out", seed=1)


def figures(report: ExperimentReport, arm: str, condition: str) -> dict[str, float | None]:
    return {each.metric: each.value for each in report.figures if (each.arm, each.condition) == (arm, condition)}


async def test_the_numbers_are_those_counted_by_hand(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat(says), count=1)
    without, given = figures(report, "base", "none"), figures(report, "base", "relevant")
    # Without context two of three claims are in no source, and nothing can be used; with it one of them is.
    assert without["precision"] == pytest.approx(1 / 3)
    assert without["recall"] == pytest.approx(1 / 2)
    assert without["parametric_rate"] == 1
    assert without["parametric_knowledge_precision"] == without["self_knowledge"] == pytest.approx(1 / 3)
    assert without["context_utilisation"] is None
    assert given["context_utilisation"] == pytest.approx(1 / 3)
    assert given["parametric_rate"] == pytest.approx(2 / 3)
    assert given["parametric_knowledge_precision"] == pytest.approx(1 / 2)
    tuned = figures(report, "tuned", "none")
    assert (tuned["precision"], tuned["user_utilisation"]) == (1, 0)
    assert tuned["rouge_l"] == pytest.approx(rouge_l(SAID["adapter"], REFERENCE).f1)
    assert all(each.interval is None for each in report.figures)
    assert all(each.difference is None for each in report.differences)


async def test_differences_to_the_base_and_the_report(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat(says), count=10)
    found = {(each.condition, each.metric): each for each in report.differences}
    # F1 is 2/5 for the base and 2/3 for the other, on every case alike.
    f1 = found["none", "f1"].difference
    assert f1 is not None
    assert (f1.difference, f1.low, f1.high) == pytest.approx((4 / 15, 4 / 15, 4 / 15))
    assert found["none", "context_utilisation"].difference is None
    adjusted = found["none", "f1"].adjusted_p
    assert adjusted is not None
    assert adjusted == pytest.approx(2 * f1.p_value)
    # SK is 1/3 for the base under both conditions, and 1 for the other: it does not vary.
    assert report.decomposition is None
    assert "no variance" in report.not_decomposed
    text = report_as_markdown(report)
    assert "BERTScore is not computed" in text
    assert "0.613" in text
    assert "base / none / t00: lid \\| plays \\| music" in text


async def test_a_declined_answer_claims_nothing_and_nothing_is_read_twice(tmp_path: Path) -> None:
    def declines(request: ChatRequest) -> str:
        return "I do not know." if request.model == "base" else SAID["adapter"]

    report = await run(tmp_path, arms_chat(declines), count=2)
    base = figures(report, "base", "none")
    assert (base["recall"], base["precision"], base["parametric_rate"]) == (0, None, None)
    assert [each.declined for each in report.counts] == [4, 0]
    silent = ScriptedChatModel([])
    assert (await run(tmp_path, silent, count=2)).figures == report.figures
    assert silent.requests == []
