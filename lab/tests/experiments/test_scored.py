"""Arms scored by a judge and by TRIFEX: order, differences, intervals, and an interrupted run."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable, Unavailable
from golden_lab.experiments.answers import ArmServices
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.figures import ArmDifference
from golden_lab.experiments.form import Experiment
from golden_lab.experiments.report import report_as_markdown
from golden_lab.experiments.run import ExperimentReport, run_experiment
from golden_lab.metrics.text import rouge_l
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.experiments.samples import (
    REFERENCE,
    THREE_ARMS,
    arms_chat,
    asked_number,
    condition_row,
    engine_with,
    experiment,
    judging_chat,
    worth,
    write_questions,
)
from lab.tests.systems.plant_library import open_plant
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest
from tools.chat.errors import ChatRefused
from tools.chat.reply_limits import RepeatingReply, TruncatedReply

MODELS = {"control": "base", "tuned": "adapter", "memory": "adapter"}


async def run(
    folder: Path, chat: ScriptedChatModel, *, count: int = 12, of: Experiment | None = None,
    judged_by: ScriptedChatModel | None = None,
) -> ExperimentReport:  # fmt: skip
    found, file = of or experiment(folder), write_questions(folder / "cases.jsonl", count)
    bench = ArmServices(chat=chat, models=MODELS, services=engine_with().judges)
    judge = engine_with(judged_by or judging_chat())
    return await run_experiment(found, read_cases(found, file), file, bench, judge, folder / "out", seed=1)


def figure(report: ExperimentReport, arm: str, metric: str) -> float | None:
    return next(each.value for each in report.figures if (each.arm, each.metric) == (arm, metric))


def difference(report: ExperimentReport, first: str) -> ArmDifference:
    return next(each for each in report.differences if (each.first, each.metric) == (first, "weighted"))


async def test_better_arm_scores_higher_without_repeated_requests(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat())
    assert [figure(report, arm, "weighted") for arm in MODELS] == pytest.approx([2.5, 4.5, 1.5])
    better = difference(report, "tuned")
    # The adapter scores two more on every question, so the interval has no width.
    assert (better.difference.difference, better.difference.low, better.difference.high) == pytest.approx((2, 2, 2))
    assert better.n == 12
    assert better.adjusted_p == pytest.approx(2 * better.difference.p_value)
    worse = difference(report, "memory").difference
    assert worse.difference == pytest.approx(-3)

    # Nothing is asked or graded twice, and a different judge does not ask the arms again.
    silent, unasked = ScriptedChatModel([]), ScriptedChatModel([], model="judge")
    again = await run(tmp_path, silent, judged_by=unasked)
    assert silent.requests == unasked.requests == []
    assert again.figures == report.figures
    other = ScriptedChatModel(lambda _: json.dumps({"explanation": "e", "score": 3}), model="another")
    assert figure(await run(tmp_path, silent, judged_by=other), "tuned", "weighted") == pytest.approx(3)
    assert silent.requests == []


async def test_only_new_cases_and_changed_settings_are_asked(tmp_path: Path) -> None:
    await run(tmp_path, arms_chat(), count=2)
    await run(tmp_path, chat := arms_chat(), count=3)
    assert [asked_number(each) for each in chat.requests] == [2, 2, 2]
    longer = THREE_ARMS.replace('prompt = "bare.toml"', 'prompt = "bare.toml", max_tokens = 9')
    await run(tmp_path, chat := arms_chat(), count=3, of=experiment(tmp_path, longer))
    assert [each.max_tokens for each in chat.requests] == [9, 9, 9]


class ChatOfEnds(ScriptedChatModel):
    """Ends one answer at the token limit, and another because it repeats itself."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        async with aclosing(super().stream(request)) as pieces:
            async for piece in pieces:
                yield piece
        if request.model == "base" and asked_number(request) == 4:
            raise TruncatedReply("too long")
        if request.model == "base" and asked_number(request) == 5:
            raise RepeatingReply("again and again")


async def test_failed_declined_and_endless_answers_are_distinguished(tmp_path: Path) -> None:
    def some(request: ChatRequest) -> str:
        at = asked_number(request)
        if request.model == "base" and at < 2:
            raise ChatRefused("it is too long")
        if request.model == "base" and at == 2:
            return "I do not know."
        if request.model == "base" and at == 3:
            return ""
        return worth(request)

    report = await run(tmp_path, ChatOfEnds(some, model="base"), count=14)
    control = report.counts[0]
    assert (control.asked, control.answered, control.declined, control.empty) == (14, 10, 1, 1)
    assert (control.cut, control.repeating, control.failed, control.not_scored) == (1, 1, 2, 0)
    assert [(each.arm, each.case, each.reason) for each in report.failures] == [
        ("control", "q0", "it is too long"), ("control", "q1", "it is too long"),
    ]  # fmt: skip
    # Pairs are cases that both arms have; a declined answer gets grade 1 and is listed separately.
    assert difference(report, "tuned").n == 12
    answered, graded = figure(report, "control", "weighted, answered only"), figure(report, "control", "weighted")
    assert answered > graded
    assert "it is too long" in report_as_markdown(report)
    # Failed cases are asked again.
    again = arms_chat()
    assert (await run(tmp_path, again, count=14)).counts[0].failed == 0
    assert len(again.requests) == 2


async def test_unreachable_server_ends_the_run_and_keeps_results(tmp_path: Path) -> None:
    def gone(request: ChatRequest) -> str:
        if asked_number(request) == 3:
            raise ChatUnavailable("the key is wrong.")
        return worth(request)

    with pytest.raises(Unavailable, match=r"the key is wrong\. Finished work is kept"):
        await run(tmp_path, arms_chat(gone))
    rest = arms_chat()
    assert (await run(tmp_path, rest)).counts[0].failed == 0
    assert {asked_number(each) for each in rest.requests} >= {3}
    assert len(rest.requests) <= 36 - 9


async def test_embedded_engine_is_an_arm_and_search_provides_passages(tmp_path: Path) -> None:
    text = THREE_ARMS.replace('"base", context = "gold", prompt = "prompt.toml"', '"embedded", context = "gold"')
    text = text.replace('"gold", prompt = "bare.toml"', '"retrieved", prompt = "prompt.toml"')
    found, file = experiment(tmp_path, text), tmp_path / "cases.jsonl"
    passage = "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros."
    file.write_text(json.dumps({"id": "keys", "passage": passage, "question": "What does a lost key cost?"}) + "\n")
    engine = engine_with()
    seen: list[str] = []

    def reads(request: ChatRequest) -> str:
        seen.append(request.messages[-1].content)
        return "40 euros."

    async with open_plant(tmp_path, engine) as plant:
        models = {**MODELS, "control": "embedded"}
        bench = ArmServices(chat=arms_chat(reads), models=models, services=plant.services, library="1")
        report = await run_experiment(found, read_cases(found, file), file, bench, engine, tmp_path / "out", seed=1)
    assert [each.answered for each in report.counts] == [1, 1, 1]
    assert (figure(report, "control", "weighted") or 0) > 3
    given, retrieved = seen
    assert "canteen" not in given
    assert "Lost keys" in given
    assert "Lost keys" in retrieved
    assert "canteen" in retrieved
    assert "no language model wrote" in report_as_markdown(report)


TEXT = """
name = "two"
description = "Two models under two conditions."
source = "a test"
scorer = "trifex"
cases = "conditions"
pairs = [["tuned", "base"]]
published_on = "other data"
published = [{ arm = "base", condition = "none", by = "TRIFEX", values = { f1 = 0.6128 } }]
arms = [
    { name = "base", model = "base", context = "given" },
    { name = "tuned", model = "adapter", context = "given" },
]
"""
# Each model's answer about the kettle, for any context.
SAID = {
    "base": "The kettle draws 2000 W. The handle is made of wood. The lid plays music.",
    "adapter": "The handle is made of wood.",
}


async def run_attributed(folder: Path, chat: ScriptedChatModel, *, count: int) -> ExperimentReport:
    found = experiment(folder, TEXT)
    rows = [condition_row(f"t{at:02}", name, *chunks) for at in range(count)
            for name, chunks in (("none", ()), ("relevant", ("The kettle draws 2000 W.",)))]  # fmt: skip
    file = write_rows(folder / "test.jsonl", rows)
    engine = engine_with()
    bench = ArmServices(chat=chat, models={"base": "base", "tuned": "adapter"}, services=engine.judges)
    return await run_experiment(found, read_cases(found, file), file, bench, engine, folder / "out", seed=1)


def figures(report: ExperimentReport, arm: str, condition: str) -> dict[str, float | None]:
    return {each.metric: each.value for each in report.figures if (each.arm, each.condition) == (arm, condition)}


async def test_claim_metrics_and_their_differences_match_values_computed_by_hand(tmp_path: Path) -> None:
    report = await run_attributed(tmp_path, arms_chat(lambda request: SAID[request.model]), count=10)
    without, given, tuned = (figures(report, *each) for each in (("base", "none"), ("base", "relevant"),
                                                                 ("tuned", "none")))  # fmt: skip
    # Without context, two of three claims are in no source and no context can be used; with context, one claim is from
    # it.
    assert (without["precision"], without["recall"]) == pytest.approx((1 / 3, 1 / 2))
    assert without["parametric_rate"] == 1
    assert without["parametric_knowledge_precision"] == without["self_knowledge"] == pytest.approx(1 / 3)
    assert without["context_utilisation"] is None
    assert given["context_utilisation"] == pytest.approx(1 / 3)
    assert given["parametric_rate"] == pytest.approx(2 / 3)
    assert given["parametric_knowledge_precision"] == pytest.approx(1 / 2)
    assert (tuned["precision"], tuned["user_utilisation"]) == (1, 0)
    assert tuned["rouge_l"] == pytest.approx(rouge_l(SAID["adapter"], REFERENCE).f1)
    found = {(each.condition, each.metric): each for each in report.differences}
    # In every case, F1 is 2/5 for the base model and 2/3 for the other one.
    f1 = found["none", "f1"].difference
    assert (f1.difference, f1.low, f1.high) == pytest.approx((4 / 15, 4 / 15, 4 / 15))
    assert found["none", "context_utilisation"].difference is None
    assert found["none", "f1"].adjusted_p == pytest.approx(2 * f1.p_value)
    # Self-knowledge is 1/3 for the base model under both conditions and 1 for the other: it does not vary.
    assert report.decomposition is None
    assert "no variance" in report.not_decomposed
    text = report_as_markdown(report)
    assert "BERTScore is not computed" in text
    assert "0.613" in text
    assert "base / none / t00: lid \\| plays \\| music" in text


async def test_declined_answer_has_no_claims_and_no_text_is_extracted_twice(tmp_path: Path) -> None:
    def declines(request: ChatRequest) -> str:
        return "I do not know." if request.model == "base" else SAID["adapter"]

    report = await run_attributed(tmp_path, arms_chat(declines), count=2)
    base = figures(report, "base", "none")
    assert (base["recall"], base["precision"], base["parametric_rate"]) == (0, None, None)
    assert [each.declined for each in report.counts] == [4, 0]
    silent = ScriptedChatModel([])
    assert (await run_attributed(tmp_path, silent, count=2)).figures == report.figures
    assert silent.requests == []
