"""Arms that differ by construction, graded by a judge: their order, intervals, hypotheses, and going on."""

import json
from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable, InvalidInput, Unavailable
from golden_lab.experiments.arms import Bench
from golden_lab.experiments.cases import read_cases
from golden_lab.experiments.folder import ExperimentFolder
from golden_lab.experiments.form import Experiment
from golden_lab.experiments.judging import ExperimentJudge, calibrate_judge
from golden_lab.experiments.report import report_as_markdown, write_experiment
from golden_lab.experiments.running import ExperimentReport, run_experiment
from golden_lab.judge.grades import GoldItem
from lab.tests.experiments.making import (
    THREE_ARMS,
    arms_chat,
    asked_number,
    engine_with,
    experiment,
    judging_chat,
    worth,
    write_questions,
)
from lab.tests.systems.plant import open_plant
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.refusal import ChatLocked, ChatRefused
from tools.chat.scripted import ScriptedChatModel

MODELS = {"control": "base", "tuned": "adapter", "memory": "adapter"}


async def judge(chat: ScriptedChatModel | None = None) -> ExperimentJudge:
    return await calibrate_judge(engine_with(chat or judging_chat()), (), 2)


async def run(
    folder: Path, chat: ScriptedChatModel, *, count: int = 12, of: Experiment | None = None,
    judged_by: ScriptedChatModel | None = None,
) -> ExperimentReport:  # fmt: skip
    found = of or experiment(folder)
    cases = read_cases(found, write_questions(folder / "cases.jsonl", count))
    bench = Bench(chat=chat, models=MODELS, services=engine_with().judges)
    return await run_experiment(found, cases, bench, await judge(judged_by), ExperimentFolder(folder / "out"), seed=1)


def figure(report: ExperimentReport, arm: str, metric: str) -> float | None:
    return next(each.value for each in report.findings.figures if (each.arm, each.metric) == (arm, metric))


async def test_the_better_arm_comes_out_better_and_the_hypotheses_are_judged(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat())
    assert [figure(report, arm, "weighted") for arm in MODELS] == pytest.approx([2.5, 4.5, 1.5])
    first, second = report.findings.hypotheses
    assert (first.verdict, second.verdict) == ("supported", "contradicted")
    difference = first.tested.difference
    assert difference is not None
    # The adapter is worth two more on every question: nothing is left to chance.
    assert (difference.difference, difference.low, difference.high) == pytest.approx((2, 2, 2))
    assert difference.n == 12
    assert first.tested.adjusted_p == pytest.approx(2 * difference.p_value)
    text = report_as_markdown(report)
    assert "not calibrated on anybody's grades" in text
    assert "3.146" in text
    assert "Fewer than 30 cases" in text
    assert "on other data: other data" in text
    assert "judge sees the passages that hold the answer, whatever the arm read" in text


async def test_the_report_is_three_files_that_tell_the_same(tmp_path: Path) -> None:
    report = await run(tmp_path, arms_chat())
    paths = write_experiment(report, tmp_path / "out")
    assert [path.name for path in paths] == ["report.json", "report.md", "report.html"]
    content = json.loads(paths[0].read_text(encoding="utf-8"))
    assert content["cases_sha256"] == report.cases_sha256
    assert content["findings"]["hypotheses"][0]["verdict"] == "supported"
    assert content["experiment"]["arms"][1]["model"] == "adapter"
    page = paths[2].read_text(encoding="utf-8")
    assert "supported" in page
    assert "http://" not in page
    assert page.count("<img") == 1


async def test_nothing_is_asked_or_graded_twice_and_another_judge_asks_no_arm(tmp_path: Path) -> None:
    before = await run(tmp_path, arms_chat())
    silent, unasked = ScriptedChatModel([]), ScriptedChatModel([], model="judge")
    again = await run(tmp_path, silent, judged_by=unasked)
    assert silent.requests == unasked.requests == []
    assert again.findings.figures == before.findings.figures
    other = ScriptedChatModel(lambda _: json.dumps({"explanation": "e", "score": 3}), model="another")
    assert figure(await run(tmp_path, silent, judged_by=other), "tuned", "weighted") == pytest.approx(3)
    assert silent.requests == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("max_tokens", "max_tokens", ""),
        ('context = "none"', 'context = "none"\nmax_tokens = 9', "arms.memory.max_tokens"),
        ("[cases]", "temperature = 0.5\n[cases]", "temperature"),
    ],
)
async def test_a_folder_of_something_else_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    await run(tmp_path, arms_chat(), count=2)
    chat = arms_chat()
    if said:
        with pytest.raises(InvalidInput, match=said):
            await run(tmp_path, chat, count=2, of=experiment(tmp_path, THREE_ARMS.replace(old, new)))
    else:
        with pytest.raises(InvalidInput, match="what differs: cases"):
            await run(tmp_path, chat, count=3)
    assert chat.requests == []


async def test_failed_declined_and_cut_answers_are_told_apart(tmp_path: Path) -> None:
    def some(request: ChatRequest) -> str | ChatReply:
        at = asked_number(request)
        if request.model == "base" and at < 2:
            raise ChatRefused("it is too long")
        if request.model == "base" and at == 2:
            return "I do not know."
        if request.model == "base" and at == 3:
            return ""
        if request.model == "base" and at == 4:
            return ChatReply(text=worth(request), model="base", finish_reason="length")
        return worth(request)

    report = await run(tmp_path, arms_chat(some), count=14)
    control = report.counts[0]
    assert (control.asked, control.answered, control.declined, control.empty) == (14, 10, 1, 1)
    assert (control.cut, control.failed, control.not_scored) == (1, 2, 0)
    assert [(each.arm, each.case, each.reason) for each in report.failures] == [
        ("control", "q0", "it is too long"), ("control", "q1", "it is too long"),
    ]  # fmt: skip
    # Pairs are the cases that both have; a declined answer is graded 1, and stands apart.
    assert report.findings.hypotheses[0].tested.n == 12
    answered, graded = figure(report, "control", "weighted, answered only"), figure(report, "control", "weighted")
    assert answered is not None
    assert graded is not None
    assert answered > graded
    assert "it is too long" in report_as_markdown(report)
    # What failed is asked again.
    again = arms_chat()
    assert (await run(tmp_path, again, count=14)).counts[0].failed == 0
    assert len(again.requests) == 2


async def test_a_server_that_does_not_let_us_in_ends_the_run(tmp_path: Path) -> None:
    def locked(request: ChatRequest) -> str:
        raise ChatLocked("the key is wrong")

    with pytest.raises(ChatUnavailable, match="the key is wrong"):
        await run(tmp_path, arms_chat(locked))


async def test_one_late_answer_is_a_failure_and_many_in_a_row_end_the_run(tmp_path: Path) -> None:
    def late(request: ChatRequest) -> str:
        if request.model == "base" and asked_number(request) % 2 == 0:
            raise ChatUnavailable("it did not answer in time.")
        return worth(request)

    report = await run(tmp_path, arms_chat(late))
    assert [each.failed for each in report.counts] == [6, 0, 0]

    def gone(request: ChatRequest) -> str:
        raise ChatUnavailable("it did not answer in time.")

    with pytest.raises(Unavailable, match="5 requests in a row were not answered"):
        await run(tmp_path, arms_chat(gone))
    # What was answered before is there: nothing but the six is asked.
    rest = arms_chat()
    assert (await run(tmp_path, rest)).counts[0].failed == 0
    assert len(rest.requests) == 6


async def test_the_judge_that_gives_no_grade_is_counted(tmp_path: Path) -> None:
    def speechless(request: ChatRequest) -> str:
        return (
            "no"
            if any("rail 3?" in each.content for each in request.messages)
            else json.dumps({"explanation": "e", "score": 4})
        )

    report = await run(tmp_path, arms_chat(), judged_by=ScriptedChatModel(speechless, model="judge"))
    assert [each.not_scored for each in report.counts] == [1, 1, 1]
    assert {each.stage for each in report.failures} == {"scored"}
    assert all(each.n == 11 for each in report.findings.figures if each.metric == "weighted")


async def test_several_seeds_count_as_one_case(tmp_path: Path) -> None:
    def drawn(request: ChatRequest) -> str:
        assert request.temperature == 0.5
        return f"rail {asked_number(request)} is worth {3 if request.seed == 1 else 5}."

    text = THREE_ARMS.replace("[cases]", "temperature = 0.5\nseeds = [1, 2]\n[cases]")
    report = await run(tmp_path, arms_chat(drawn), of=experiment(tmp_path, text))
    assert figure(report, "control", "weighted") == pytest.approx(4)
    assert next(each.n for each in report.findings.figures) == 12
    assert report.counts[0].asked == 24


async def test_the_embedded_engine_is_an_arm_with_what_search_and_graph_find(tmp_path: Path) -> None:
    asked = 'model = "base"\ncontext = "gold"\nprompt = "prompt.toml"'
    text = THREE_ARMS.replace(asked, 'model = "embedded"\ncontext = "graph"')
    text = text.replace('context = "none"', 'context = "retrieved"\npassages = 2')
    found = experiment(tmp_path, text)
    path = tmp_path / "cases.jsonl"
    passage = "A new colleague gets a locker key from the front desk on the first day. Lost keys cost 40 euros."
    path.write_text(json.dumps({"id": "keys", "passage": passage, "question": "What does a lost key cost?"}) + "\n")
    engine = engine_with()
    seen: list[str] = []

    def reads(request: ChatRequest) -> str:
        seen.append(request.messages[-1].content)
        return "40 euros."

    async with open_plant(tmp_path, engine) as plant:
        bench = Bench(chat=arms_chat(reads), models={**MODELS, "control": "embedded"}, services=plant.services)
        scorer = await calibrate_judge(engine, (), 2)
        report = await run_experiment(
            found, read_cases(found, path), bench, scorer, ExperimentFolder(tmp_path / "out"), library="1", seed=1
        )
    assert [each.answered for each in report.counts] == [1, 1, 1]
    assert (figure(report, "control", "weighted") or 0) > 3
    given, retrieved = seen
    assert "Lost keys" in given
    assert "canteen" not in given
    assert "Lost keys" in retrieved
    text = report_as_markdown(report)
    assert "no language model wrote" in text
    assert "fitted on MT-RAG human ratings" in text


async def test_the_judge_is_held_against_a_gold_set() -> None:
    scored = [
        GoldItem(id=f"g{at}", question="Q?", passage="P.", answer=f"Answer {at} worth {score}.", relevance=score,
                 faithfulness=score, completeness=score, explanation="Because.")
        for at, score in enumerate((1, 2, 3, 4, 5, 1, 2, 3))
    ]  # fmt: skip
    found = await calibrate_judge(engine_with(judging_chat()), scored, 1, resamples=20)
    assert found.agreement is not None
    assert found.agreement.rows[0].exact.value == 1
    assert "of the gold set" in found.calibration
