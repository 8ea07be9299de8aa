"""A whole study with a scripted writer: interrupted, continued, evaluated and reported."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ChatUnavailable
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import ClaimedSource, Draft
from golden_lab.engine import Engine
from golden_lab.judge.grades import AnswerPair, Preference, Winner
from golden_lab.refinement.analysis import StudyPlan, analyse
from golden_lab.refinement.attribution import PassageUse
from golden_lab.refinement.cases import StudyCase, read_cases
from golden_lab.refinement.conditions import CONDITIONS, StudyParts, calls_of, run_case, text_of
from golden_lab.refinement.judged_pairs import judge_pair, judgement_id, pairs_to_judge, score_of
from golden_lab.refinement.metrics import CITATIONS, CUT, DISTRACTORS, PRECISION, REPEATING, STR_EM, claims_of
from golden_lab.refinement.report import to_markdown, write_study
from golden_lab.refinement.run import run_study
from lab.tests.refinement.study_files import write_study_files
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.reply_limits import RepeatingReply, TruncatedReply


class ShorterIsBetter:
    """Prefers the shorter answer of a pair, without seeing the names of the conditions."""

    def __init__(self) -> None:
        self.pairs: list[AnswerPair] = []

    async def compare(self, pair: AnswerPair) -> Preference:
        self.pairs.append(pair)
        difference = len(pair.second) - len(pair.first)
        winner: Winner = "first" if difference > 0 else "second" if difference < 0 else "tie"
        return Preference(winner=winner, consistent=True, provenance=Provenance(implementation="test"))


def reply(request: ChatRequest) -> str:
    """Write as in the paper's conditions: a draft with a distractor, a rewrite without it, a longer self-rewrite."""
    prompt = request.messages[-1].content
    if "# Task: a critique" in prompt:
        return "Say more about everything."
    if "[1.1]" not in prompt:
        return "Penguins devour krill."
    if "Critique of the draft: Say more" in prompt:
        return "Bakers of town 0 knead dough for 5 minutes [1]. Penguins devour krill [3]. Whales sing songs [5]."
    if "Critique of the draft: Look at" in prompt:
        return "Bakers of town 0 knead dough for 5 minutes [1]."
    if "Critique of the draft" in prompt:
        return "The K1 hoist lifts 103 kg on line 3 [4]."
    return "The K1 hoist lifts 103 kg on line 3 [4][1]. Penguins devour krill [3]."


def by_seed(request: ChatRequest) -> str:
    """Write as ``reply`` does, but slightly differently for each seed and question."""
    number = sum(map(int, re.findall(r"K(\d)", request.messages[-1].content)))
    return f"{reply(request)} It was seen {number + (request.seed or 0)} times."


def parts(engine: Engine, **more: Any) -> StudyParts:
    return StudyParts(chat=ScriptedChatModel(reply, model="script"), services=engine.judges, **more)


def hoist(folder: Path) -> StudyCase:
    """Return the case in the format of GaRAGe that ``reply`` writes about."""
    return next(each for each in read_cases(write_study_files(folder, 2)).cases if each.id == "g1")


async def test_case_is_written_measured_and_assigned_to_conditions(tmp_path: Path, engine: Engine) -> None:
    case = hoist(tmp_path)
    own = parts(engine)
    values = dict((await run_case(case, 7, own)).values)
    numbers = {name: each["numbers"] for name, each in values["answers"].items()}
    assert set(numbers) == {"A", "B", "C1", "C2", "always", "E", "v2a", "v2b"}
    # One of three citations supports its sentence; two lead to passages labelled irrelevant.
    assert numbers["A"][PRECISION] == pytest.approx(1 / 3)
    assert numbers["A"][DISTRACTORS] == pytest.approx(2 / 3)
    assert (numbers["always"][PRECISION], numbers["always"][DISTRACTORS]) == (1.0, 0.0)
    assert (numbers["E"][CITATIONS], numbers["E"][STR_EM]) == (3, None)
    assert (numbers["B"][PRECISION], numbers["B"][DISTRACTORS]) == (None, None)
    assert values["answers"]["A"]["text"].startswith("The K1 hoist lifts 103 kg on line 3 [4] [1].")
    assert values["flagged"] == [0, 2]
    assert values["keeps_rewrite"]
    requests = own.chat.requests  # type: ignore[attr-defined]
    assert {(each.temperature, each.seed) for each in requests} == {(0.7, 7), (0.7, 7 + 1_000_003)}
    assert any("passages 1 and 3" in each.messages[-1].content for each in requests)
    # Each condition uses the text that its trigger selects.
    below, above = 1.0, 0.0
    assert [text_of("D", values, each) for each in (below, above)] == ["always", "A"]
    assert [text_of("D kept", {**values, "keeps_rewrite": each}, below) for each in (True, False)] == ["always", "A"]
    assert [text_of("auto", {**values, "noisy": each}, below) for each in (True, False)] == ["always", "A"]
    assert [text_of(name, values, above) for name in ("v2a", "v2b", "v2c")] == ["v2a", "v2b", "always"]
    unflagged = {**values, "flagged": []}
    assert [text_of(name, unflagged, below) for name in ("v2a", "v2b", "v2c")] == ["A", "A", "A"]
    calls = {name: calls_of(name, {**values, "noisy": True}, below)[0] for name in CONDITIONS}
    assert calls == {**dict.fromkeys(CONDITIONS, 2), "A": 1, "B": 1, "C1": 1, "E": 3}
    assert calls_of("D kept", {**values, "keeps_rewrite": False}, below)[0] == 2
    assert calls_of("D", values, above)[0] == 1


def reply_without_end(request: ChatRequest) -> ChatReply | str:
    """Loop in the critique and without passages; reach the token limit in the rewrites."""
    text = request.messages[-1].content
    if "# Task: a critique" in text or "[1.1]" not in text:
        raise RepeatingReply("again and again")
    if "Critique of the draft" in text:
        raise TruncatedReply("too long")
    return reply(request)


async def test_repeating_or_endless_texts_become_empty_and_are_counted(tmp_path: Path, engine: Engine) -> None:
    case = hoist(tmp_path)
    own = StudyParts(chat=ScriptedChatModel(reply_without_end, model="script"), services=engine.judges)
    answers = (await run_case(case, 7, own)).values["answers"]
    ended = {name: (each["numbers"][REPEATING], each["numbers"][CUT]) for name, each in answers.items()}
    assert ended == {
        "A": (0, 0), "B": (1, 0), "C1": (0, 0), "C2": (0, 1), "always": (0, 1), "E": (1, 0), "v2a": (0, 1),
        "v2b": (0, 1),
    }  # fmt: skip
    # Without a critique, the draft stays unchanged.
    assert answers["E"]["text"] == answers["A"]["text"]
    assert answers["B"]["text"] == answers["always"]["text"] == ""


async def first_used(question: str, draft: str, passages: Sequence[Passage]) -> PassageUse:
    return PassageUse(used=(0, 1), flagged=(0, 1))


async def test_passage_use_can_select_the_flagged_passages(tmp_path: Path, engine: Engine) -> None:
    case = hoist(tmp_path)
    values = (await run_case(case, 7, parts(engine, flag=first_used))).values
    # The second passage is labelled relevant, so using it is correct.
    assert values["flagged"] == [0]
    assert values["S1"] < 1.0


async def test_interrupted_study_resumes_with_the_same_result(tmp_path: Path, engine: Engine) -> None:
    found, count = read_cases(write_study_files(tmp_path / "data")), 0

    def failing(request: ChatRequest) -> str:
        nonlocal count
        count += 1
        if count == 40:
            raise ChatUnavailable("gone")
        return by_seed(request)

    async def run(chat: ScriptedChatModel, folder: str, comparer: ShorterIsBetter) -> Any:
        own, plan = StudyParts(chat=chat, services=engine.judges), StudyPlan(seeds=(1, 2))
        return await run_study(found, own, plan, work=tmp_path / folder, comparer=comparer, judge="x")

    with pytest.raises(ChatUnavailable):
        await run(ScriptedChatModel(failing, model="script"), "work", ShorterIsBetter())
    resumed, whole_chat = (ScriptedChatModel(by_seed, model="script") for _ in range(2))
    ended = await run(resumed, "work", ShorterIsBetter())
    whole = await run(whole_chat, "other", ShorterIsBetter())
    assert len(resumed.requests) < len(whole_chat.requests)
    assert ended.shapes == whole.shapes
    # In a second run, nothing is asked or judged again.
    idle, silent = ScriptedChatModel([], model="script"), ShorterIsBetter()
    again = await run(idle, "work", silent)
    assert (idle.requests, silent.pairs) == ([], [])
    assert again.shapes == ended.shapes
    _check_report(ended, tmp_path)


def _check_report(study: Any, tmp_path: Path) -> None:
    for shape in study.shapes:
        by_name = {each.condition: each for each in shape.conditions}
        assert list(by_name) == list(CONDITIONS)
        assert (by_name["A"].calls, by_name["E"].calls, by_name["C2"].fired) == (1.0, 3.0, 1.0)
        assert by_name["D"].calls == pytest.approx(1 + by_name["D"].fired)
        assert len(shape.quartiles) == 4
        assert shape.quartiles[0].lowest >= shape.quartiles[3].highest
        judged = {(each.first, each.second): each for each in shape.judged}
        # Only one seed of each question was judged.
        assert all(each.wins + each.ties + each.losses == shape.questions for each in judged.values())
        # The model's own critique leads to longer answers, and the judge in this test prefers shorter ones.
        assert judged["E", "A"].losses > judged["E", "A"].wins
    json_path, text_path = write_study(study, tmp_path / "out")
    assert json.loads(json_path.read_text())["shapes"][0]["shape"] == "ALCE"
    text = text_path.read_text()
    assert text == to_markdown(study)
    assert "| distractor citation rate |" in text.split("## GaRAGe")[1]
    assert "distractor citation rate" not in text.split("## GaRAGe")[0]


def _values(case: int, *, overlap: float, precision: Mapping[str, float]) -> dict[str, Any]:
    same = {
        STR_EM: None, DISTRACTORS: None, "length, characters": 10, CITATIONS: 1, "refusals": 0.0, "S3": overlap,
        REPEATING: 0.0, CUT: 0.0,
    }  # fmt: skip
    answers = {
        name: {"text": f"{name} of {case}", "numbers": {**same, PRECISION: value}, "calls": 1, "characters": 10}
        for name, value in precision.items()
    }
    return {
        "case": f"c{case}", "shape": "ALCE", "seed": 1, "answers": answers, "flagged": [], "keeps_rewrite": True,
        "noisy": True, "S1": 0.5,
    }  # fmt: skip


def test_quartiles_show_where_rewriting_helps() -> None:
    # The rewrites of eight questions gain most if the overlap is lowest.
    rows = []
    for case in range(8):
        first = dict.fromkeys(("A", "B", "C1", "C2", "E"), 0.5)
        gained = {**first, "always": 0.5 + case // 2 / 10}
        rows.append(_values(case, overlap=1.0 - case / 10, precision=gained))
    found = analyse("ALCE", rows, {}, threshold=0.55, plan=StudyPlan())
    gains = [each.precision.difference for each in found.quartiles if each.precision is not None]
    assert gains == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert [(each.questions, each.judged) for each in found.quartiles] == [(2, None)] * 4
    # D rewrites the three questions below 0.55, which gives gains of 0.2, 0.3 and 0.3 for eight questions.
    by_pair = {(each.first, each.second, each.metric): each.difference for each in found.differences}
    assert by_pair["D", "A", PRECISION].difference == pytest.approx(0.8 / 8)
    assert by_pair["always", "A", PRECISION].difference == pytest.approx(0.15)
    assert {each.condition: each.fired for each in found.conditions}["D"] == pytest.approx(3 / 8)
    assert found.judged == ()
    assert set(found.signals) == {"S1", "S3"}


async def test_pair_is_judged_once_blindly_for_both_directions(tmp_path: Path, engine: Engine) -> None:
    case = read_cases(write_study_files(tmp_path, 2)).cases[0]
    values = _values(0, overlap=0.2, precision=dict.fromkeys(("A", "B", "C1", "C2", "E", "always"), 0.5))
    values["answers"]["always"]["text"] = "short"
    pairs = list(pairs_to_judge(values, 0.5))
    assert len(pairs) == len(set(pairs))
    assert all(first < second for first, second in pairs)
    comparer = ShorterIsBetter()
    judged = {}
    for pair in pairs:
        outcome = await judge_pair(comparer, case, values, pair)
        judged[outcome.id] = outcome
    assert (score_of("D", "A", values, 0.5, judged), score_of("A", "D", values, 0.5, judged)) == (1, -1)
    assert score_of("D", "always", values, 0.5, judged) == 0
    assert score_of("D", "A", values, 0.1, judged) == 0, "condition D uses the first draft here"
    assert score_of("D", "A", values, 0.5, {}) is None
    assert not any(name in shown.id for shown in comparer.pairs for name in ("always", "C1"))
    assert len({judgement_id(values, pair) for pair in pairs}) == len(pairs)


def test_a_mark_belongs_to_the_sentence_before_it_or_to_the_line_it_begins() -> None:
    text = "One is so. Two is so.\n- Three is so.\nFour is so."
    places = [text.index(word) for word in (". Two", " Two", ".\n- T", "\n- T", "Three", "Four")]
    made = [(0, 9), *((place, number) for number, place in enumerate(places))]
    claims = tuple(ClaimedSource(position=place, passage=passage) for place, passage in made)
    found = claims_of(Draft(text=text, provenance=Provenance(implementation="test"), claims=claims))
    assert [[each.passage for each in claims] for claims in found] == [[9, 0, 1], [2, 3], [4], [5]]
