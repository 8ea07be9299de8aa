"""Arms that differ by construction, graded by a judge: their order, intervals, and going on."""

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
from lab.tests.experiments.samples import (
    THREE_ARMS,
    arms_chat,
    asked_number,
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


async def test_the_better_arm_comes_out_better(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat())
    assert [figure(report, arm, "weighted") for arm in MODELS] == pytest.approx([2.5, 4.5, 1.5])
    better = difference(report, "tuned")
    assert better.difference is not None
    # The adapter is worth two more on every question: nothing is left to chance.
    assert (better.difference.difference, better.difference.low, better.difference.high) == pytest.approx((2, 2, 2))
    assert better.n == 12
    assert better.adjusted_p == pytest.approx(2 * better.difference.p_value)
    worse = difference(report, "memory").difference
    assert worse is not None
    assert worse.difference == pytest.approx(-3)


async def test_nothing_is_asked_or_graded_twice_and_another_judge_asks_no_arm(tmp_path: Path) -> None:
    before = await run(tmp_path, arms_chat())
    silent, unasked = ScriptedChatModel([]), ScriptedChatModel([], model="judge")
    again = await run(tmp_path, silent, judged_by=unasked)
    assert silent.requests == unasked.requests == []
    assert again.figures == before.figures
    other = ScriptedChatModel(lambda _: json.dumps({"explanation": "e", "score": 3}), model="another")
    assert figure(await run(tmp_path, silent, judged_by=other), "tuned", "weighted") == pytest.approx(3)
    assert silent.requests == []


async def test_what_changes_an_answer_has_it_asked_anew(tmp_path: Path) -> None:
    await run(tmp_path, arms_chat(), count=2)
    await run(tmp_path, chat := arms_chat(), count=3)
    assert [asked_number(each) for each in chat.requests] == [2, 2, 2]
    longer = THREE_ARMS.replace('prompt = "bare.toml"', 'prompt = "bare.toml"\nmax_tokens = 9')
    await run(tmp_path, chat := arms_chat(), count=3, of=experiment(tmp_path, longer))
    assert [each.max_tokens for each in chat.requests] == [9, 9, 9]


class ChatOfEnds(ScriptedChatModel):
    """Ends an answer at its most tokens, and one where it repeats itself."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        async with aclosing(super().stream(request)) as pieces:
            async for piece in pieces:
                yield piece
        if request.model == "base" and asked_number(request) == 4:
            raise TruncatedReply("too long")
        if request.model == "base" and asked_number(request) == 5:
            raise RepeatingReply("again and again")


async def test_failed_declined_and_endless_answers_are_told_apart(tmp_path: Path) -> None:
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
    # Pairs are the cases that both have; a declined answer is graded 1, and stands apart.
    assert difference(report, "tuned").n == 12
    answered, graded = figure(report, "control", "weighted, answered only"), figure(report, "control", "weighted")
    assert answered is not None
    assert graded is not None
    assert answered > graded
    assert "it is too long" in report_as_markdown(report)
    # What failed is asked again.
    again = arms_chat()
    assert (await run(tmp_path, again, count=14)).counts[0].failed == 0
    assert len(again.requests) == 2


async def test_a_server_that_is_gone_ends_the_run_and_what_is_done_is_kept(tmp_path: Path) -> None:
    def gone(request: ChatRequest) -> str:
        if asked_number(request) == 3:
            raise ChatUnavailable("the key is wrong.")
        return worth(request)

    with pytest.raises(Unavailable, match=r"the key is wrong\. What is done is kept"):
        await run(tmp_path, arms_chat(gone))
    rest = arms_chat()
    assert (await run(tmp_path, rest)).counts[0].failed == 0
    assert {asked_number(each) for each in rest.requests} >= {3}
    assert len(rest.requests) <= 36 - 9


async def test_the_embedded_engine_is_an_arm_and_search_brings_passages(tmp_path: Path) -> None:
    asked = 'model = "base"\ncontext = "gold"\nprompt = "prompt.toml"'
    text = THREE_ARMS.replace(asked, 'model = "embedded"\ncontext = "gold"')
    text = text.replace('context = "gold"\nprompt = "bare.toml"', 'context = "retrieved"\nprompt = "prompt.toml"')
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
