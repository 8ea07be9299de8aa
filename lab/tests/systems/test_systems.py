"""Every system on a small library: what it answers, cites and declines, and what is missing without a part."""

import pytest

from contracts.errors import ChatUnavailable
from contracts.question import Turn
from evaluation.quiz import QuizQuestion
from golden_lab.systems.examples import ComparedSystems
from golden_lab.systems.golden import GoldenSystem, WithoutSummaries, searcher_without_summaries
from golden_lab.systems.measures import (
    CITED,
    FAITHFULNESS,
    JAFS,
    REFUSED,
    RIGHT,
    S3,
    SystemQuestion,
    ask,
    lettered,
    measure,
)
from golden_lab.systems.simple import (
    ClosedBookSystem,
    PlainRagSystem,
)
from lab.tests.systems.plant_library import CYCLE, KEYS, UNKNOWN
from tests.scripted_chat import ScriptedChatModel


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


async def test_plain_rag_answers_what_its_words_find_and_never_stops_at_unknown_jargon(bench: ComparedSystems) -> None:
    system = PlainRagSystem(bench.services, passages=2)
    answer = await ask(system, KEYS)
    assert len(answer.passages) == 2
    numbers = measure(KEYS, answer).numbers
    assert (numbers[RIGHT], numbers[CITED], numbers[S3], numbers[FAITHFULNESS], numbers[JAFS]) == (1, 1, 1, 1, 1)
    assert (await ask(system, UNKNOWN)).outcome != "unknown_term"


async def test_the_bot_reads_its_jargon_and_stops_at_what_nobody_knows(bench: ComparedSystems) -> None:
    system = GoldenSystem(bench.services)
    answer = await ask(system, CYCLE)
    assert "36 hours" in answer.text
    assert [reading.sense.extended_name for reading in answer.answer.readings if reading.sense] == [
        "Evaporation Bed Reactor"
    ]
    refused = measure(UNKNOWN, await ask(system, UNKNOWN)).numbers
    assert (refused[RIGHT], refused[REFUSED], refused[JAFS], refused[CITED]) == (1.0, 1.0, 1.0, None)


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


async def test_without_summaries_none_is_found(bench: ComparedSystems) -> None:
    (vector,) = await bench.services.embedder.embed_queries(["evaporation bed reactor"])
    dense = WithoutSummaries(bench.parts.vector_index, frozenset({"summary"}))
    lexical = WithoutSummaries(bench.services.lexical, frozenset({"summary"}))
    assert "summary" in {hit.chunk_id for hit in await bench.parts.vector_index.search(vector, 10)}
    assert {hit.chunk_id for hit in await dense.search(vector, 10)} == {"plant-1", "plant-2", "plant-3"}
    assert len(await dense.search(vector, 2)) == 2
    assert "summary" in {hit.chunk_id for hit in await bench.services.lexical.search("reactor temperature", 10)}
    assert "summary" not in {hit.chunk_id for hit in await lexical.search("reactor temperature vaccine", 10)}
    assert await lexical.document_frequency("EBR") == 1
    searcher = searcher_without_summaries(bench.services, bench.parts)
    assert {hit.chunk.id for hit in await searcher.search(["evaporation bed reactor"], 10)} <= {
        "plant-1",
        "plant-2",
        "plant-3",
    }
