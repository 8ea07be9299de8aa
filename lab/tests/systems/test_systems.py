"""Comparisons of systems: by hand, on a small library, and with ``golden-lab systems``."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable
from contracts.question import Turn
from evaluation.quiz import QuizQuestion
from golden_lab.cli import app
from golden_lab.engine import Engine
from golden_lab.systems.comparison import CaseNumbers, compare
from golden_lab.systems.examples import ComparedSystems
from golden_lab.systems.golden import WHOLE, GoldenSystem, WithoutSummaries, searcher_without_summaries
from golden_lab.systems.measures import (
    CITED,
    FAITHFULNESS,
    JAFS,
    RIGHT,
    S3,
    SystemQuestion,
    ask,
    chosen_label,
    lettered,
    measure,
)
from golden_lab.systems.simple import ClosedBookSystem, PlainRagSystem
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.systems.plant_library import CYCLE, KEYS, PAGES, UNKNOWN, open_plant
from tests.golden_retriever.commands import Commands
from tests.scripted_chat import ScriptedChatModel


@pytest.fixture
async def bench(tmp_path: Path, shipped_engine: Engine) -> AsyncIterator[ComparedSystems]:
    async with open_plant(tmp_path, shipped_engine) as opened:
        yield opened


async def test_a_model_answers_from_memory_with_the_conversation_and_the_options() -> None:
    chat = ScriptedChatModel(["b) 40 euros. I read it once.", "I do not know."])
    system = ClosedBookSystem(chat)
    question = SystemQuestion(
        text="And what does it cost?",
        history=(Turn(role="user", text="I lost my key."),),
        choices=lettered(("30 euros", "40 euros")),
    )
    answer = await system.answer(question)
    assert (answer.outcome, answer.passages) == ("answered", ())
    asked = chat.requests[0].messages[-1].content
    assert "user: I lost my key." in asked
    assert "b) 40 euros" in asked
    assert (await system.answer(SystemQuestion(text="Who?"))).declined
    with pytest.raises(ChatUnavailable):
        await system.answer(question)


async def test_plain_rag_searches_by_words_and_never_stops_at_unknown_jargon(bench: ComparedSystems) -> None:
    system = PlainRagSystem(bench.services, passages=2)
    answer = await ask(system, KEYS)
    assert len(answer.passages) == 2
    numbers = measure(KEYS, answer).numbers
    assert (numbers[RIGHT], numbers[CITED], numbers[S3], numbers[FAITHFULNESS], numbers[JAFS]) == (1, 1, 1, 1, 1)
    assert (await ask(system, UNKNOWN)).outcome != "unknown_term"


async def test_each_ablation_lacks_its_part_and_no_other(bench: ComparedSystems) -> None:
    ablations = {system.name: system for system in bench.systems() if system.name.startswith("without ")}
    assert len(ablations) == 7
    assert not (await ask(ablations["without jargon"], CYCLE)).answer.readings
    assert (await ask(ablations["without jargon"], UNKNOWN)).outcome != "unknown_term"
    unaugmented = await ask(ablations["without augmentation of the question"], CYCLE)
    assert unaugmented.answer.readings
    assert unaugmented.answer.augmented_question == CYCLE.question
    context = await ask(ablations["without context"], CYCLE)
    assert context.answer.context == ""
    assert context.answer.readings
    nowhere = QuizQuestion(id="x", question="Who won the marathon of Boston?", kind="none", expect="declined")
    gated = await ask(GoldenSystem(bench.services), nowhere)
    assert gated.declined
    ungated = await ask(ablations["without the gate"], nowhere)
    assert "write_answer" in {step.node for step in ungated.answer.steps}
    assert "write_answer" not in {step.node for step in gated.answer.steps}
    steps = (await ask(ablations["without reranking"], CYCLE)).answer.steps
    assert [each.provenance.implementation for each in steps if each.node == "retrieve" and each.provenance] == [
        "absent"
    ]


async def test_ablation_without_summaries_finds_none(bench: ComparedSystems) -> None:
    lexical = WithoutSummaries(bench.services.lexical, frozenset({"summary"}))
    assert "summary" in {hit.chunk_id for hit in bench.services.lexical.find("reactor temperature", 10)}
    assert "summary" not in {hit.chunk_id for hit in lexical.find("reactor temperature vaccine", 10)}
    assert lexical.document_frequency("EBR") == 1
    searcher = searcher_without_summaries(bench.services, bench.parts)
    assert {hit.chunk.id for hit in await searcher.search(["evaporation bed reactor"], 10)} <= {
        "plant-1",
        "plant-2",
        "plant-3",
    }


WITHOUT = "without the gate"


def case(whole: float, plain: float, ablated: float, s3: float | None = None) -> CaseNumbers:
    return {
        "plain RAG": {"right": plain, "cited": None, "S3": 0.5},
        WHOLE: {"right": whole, "cited": None, "S3": s3},
        WITHOUT: {"right": ablated, "cited": None, "S3": 0.25},
    }


def test_differences_use_only_cases_measured_for_both_systems() -> None:
    cases = [case(1, 0, 1, 1.0), case(1, 1, 0, 0.5), case(1, 0, 1), case(0, 0, 0)]
    found = compare(cases, seed=1)
    values = {(score.system, score.metric): (score.value, score.n) for score in found.scores}
    assert values[WHOLE, "right"] == (0.75, 4)
    assert values["plain RAG", "right"] == (0.25, 4)
    assert values[WHOLE, "S3"] == (0.75, 2)
    assert (WHOLE, "cited") not in values
    differences = {(each.system, each.metric): each for each in found.differences}
    assert differences["plain RAG", "right"].difference.difference == -0.5
    assert differences[WITHOUT, "right"].difference.difference == -0.25
    assert differences[WITHOUT, "S3"].difference.difference == pytest.approx(-0.5)
    assert differences[WITHOUT, "S3"].difference.n == 2


def test_multiple_testing_correction_covers_the_ablations_together() -> None:
    cases: list[CaseNumbers] = [
        {
            "plain RAG": {"right": 0.0},
            WHOLE: {"right": 1.0},
            "without jargon": {"right": 0.0},
            "without context": {"right": 0.0},
            "without reranking": {"right": 1.0},
        }
        for _ in range(12)
    ]
    found = {each.system: each for each in compare(cases, seed=1).differences}
    smallest = found["without jargon"].difference.p_value
    assert smallest == pytest.approx(2 / 10_001)
    assert found["plain RAG"].adjusted_p is None
    assert found["without jargon"].adjusted_p == pytest.approx(3 * smallest)
    assert found["without context"].adjusted_p == pytest.approx(3 * smallest)
    assert found["without reranking"].adjusted_p == 1.0


OPTIONS = lettered(("1.8 V", "1.5 V", "depends on the node."))


def test_options_are_lettered_and_the_one_named_by_an_answer_is_recognised() -> None:
    asked = SystemQuestion(text="Which supply has DDR3?", choices=OPTIONS).asked
    assert asked == "Which supply has DDR3? a) 1.8 V b) 1.5 V c) depends on the node."
    for text, label in [
        ("b) 1.5 V. The table says so [1].", "b"), ("**B.** 1.5 V", "b"), ("(c) depends", "c"), ("1.5 V", "b"),
        ("Depends on the node", "c"), ("a", "a"), ("d) 1.2 V", ""), ("The supply is 1.5 V or 1.8 V.", ""),
        ("A supply of 1.8 V", ""), ("", ""),
    ]:  # fmt: skip
        assert chosen_label(text, OPTIONS) == label, text


@pytest.fixture
def quiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDEN_WORKERS", "1")
    return write_rows(tmp_path / "quiz.jsonl", (each.model_dump(exclude_defaults=True) for each in (KEYS, UNKNOWN)))


def test_systems_are_compared_over_the_current_library(quiz: Path) -> None:
    document = quiz.parent / "plant.txt"
    document.write_text(PAGES[0])
    Commands().succeeds("ingest", document)
    chosen = ["--only", "plain RAG", "--only", "without jargon", "--engine", "embedded"]
    found = json.loads(Commands(program=app).output("systems", quiz, *chosen, "--json"))
    right = {score["system"]: score["value"] for score in found["scores"] if score["metric"] == "right"}
    assert right["Golden Retriever"] == 1.0
    assert set(right) == {"plain RAG", "Golden Retriever", "without jargon"}
    assert [each["id"] for each in found["questions"]] == ["keys", "unknown"]
    assert "ZQX" not in Commands().output("jargon", "queue")
