"""The profile balanced, the whole way: one call for a clear question, one more where a judgement lies close."""

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.chatbot import Chatbot
from contracts.answer import Answer
from contracts.errors import ChatUnavailable
from contracts.jargon import Context, Sense
from contracts.provenance import Provenance
from golden_retriever.settings import Settings
from golden_retriever.wiring.judgements import build_services
from tests.agent.plant import plant_library
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model
from tools.jargon.memory import InMemoryJargonDictionary

SENSES = (
    Sense(id=1, term="EBR", extended_name="Electronic Batch Record", context="Quality", description="Log of a batch."),
    Sense(id=2, term="EBR", extended_name="Evaporation Bed Reactor", context="Process", description="Dries a product."),
)
CONTEXTS = (
    Context(name="Quality", description="Release of batches, records, signatures, audits"),
    Context(name="Process", description="Drying, mixing and filling of vaccines; reactors, temperatures, times"),
)
CLEAR = "What does a lost key cost?"
NEAR_THE_GATE = "How is fish prepared in the canteen?"
CONTESTED = "What is the EBR for?"
# Its context is as open as that of CONTESTED, and no word of it hangs on that.
OPEN = "When does the canteen open?"
WRITTEN = {
    CLEAR: "Lost keys cost 40 euros.",
    NEAR_THE_GATE: "On Fridays it serves fish.",
    OPEN: "The canteen of the Leiden plant opens at 7:30 and closes at 14:00.",
}

Ask = Callable[..., Chatbot]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> CachedEmbedder:
    return CachedEmbedder(OnnxEmbedder(find_default_model(), tmp_path_factory.mktemp("models")))


@pytest.fixture
async def bot_on(tmp_path: Path, embedder: CachedEmbedder) -> AsyncIterator[Ask]:
    dictionary = InMemoryJargonDictionary(SENSES, CONTEXTS)
    async with plant_library(tmp_path, embedder) as (searcher, lexical):

        def build(chat: ScriptedChatModel, **more: Any) -> Chatbot:
            settings = Settings(llm="http://127.0.0.1:9/v1", **more)
            return Chatbot(build_services(settings, embedder, searcher, lexical, dictionary, chat))

        yield build


def model(*, label: str = "answerable", context: str = "Quality") -> ScriptedChatModel:
    """Return a model that says ``label`` of passages and chooses ``context`` from the list that it is shown."""

    def reply(request: ChatRequest) -> str:
        if request.json_schema is not None:
            letter = re.search(rf"^(\w)\) {context}", request.messages[-1].content, re.MULTILINE)
            assert letter is not None
            return f'{{"reasoning": "A record is kept.", "context": "{letter[1]}"}}'
        if request.top_logprobs:
            return label
        asked = request.messages[-1].content
        return next((text for question, text in WRITTEN.items() if question in asked), "It is kept for 11 years.")

    return ScriptedChatModel(reply, model="house")


def kinds(chat: ScriptedChatModel) -> list[str]:
    return [
        "context" if each.json_schema is not None else "gate" if each.top_logprobs else "writer"
        for each in chat.requests
    ]


def judged_by(answer: Answer, node: str) -> Provenance:
    provenance = next(step.provenance for step in answer.steps if step.node == node)
    assert provenance is not None
    return provenance


@pytest.mark.parametrize("question", [CLEAR, OPEN])
async def test_a_clear_question_takes_the_writers_call_and_no_other(bot_on: Ask, question: str) -> None:
    chat = model()
    answer = await bot_on(chat).ask(question)
    assert kinds(chat) == ["writer"]
    for node in ("classify_context", "judge_answerability"):
        assert (judged_by(answer, node).implementation, judged_by(answer, node).tie) == ("embedded", "")


async def at_the_gate(bot_on: Ask) -> float:
    """Return what the embedded judge says of the question near the gate: the gate itself, for these tests."""
    alone = await bot_on(model(), profile="embedded").ask(NEAR_THE_GATE)
    return min(max(alone.answerability or 0.0, 0.01), 0.99)


async def test_near_the_gate_the_model_is_asked_and_its_word_decides(bot_on: Ask) -> None:
    gate = await at_the_gate(bot_on)
    chat = model(label="answerable")
    answer = await bot_on(chat, answerability_threshold=gate).ask(NEAR_THE_GATE)
    assert kinds(chat) == ["gate", "writer"]
    assert judged_by(answer, "judge_answerability").implementation == "llm"
    assert judged_by(answer, "judge_answerability").tie == "the embedded verdict lay close; house broke the tie"
    chat = model(label="unanswerable")
    answer = await bot_on(chat, answerability_threshold=gate).ask(NEAR_THE_GATE)
    assert answer.outcome == "closest_passages"
    assert kinds(chat).count("writer") == 0
    assert 1 <= kinds(chat).count("gate") <= 2, "once more at most, for the passages of the second search"


@pytest.mark.parametrize(
    ("context", "meaning"), [("Quality", "Electronic Batch Record"), ("Process", "Evaporation Bed Reactor")]
)
async def test_a_contested_context_is_asked_for_and_spares_a_question_back(
    bot_on: Ask, context: str, meaning: str
) -> None:
    chat = model(context=context)
    answer = await bot_on(chat).ask(CONTESTED)
    assert kinds(chat)[0] == "context"
    assert kinds(chat).count("context") == 1
    assert answer.outcome != "clarify"
    assert answer.readings[0].sense is not None
    assert answer.readings[0].sense.extended_name == meaning
    alone = await bot_on(model(), profile="embedded").ask(CONTESTED)
    assert alone.outcome == "clarify"


async def test_while_the_model_is_away_the_embedded_verdicts_stand_and_say_so(bot_on: Ask) -> None:
    gate = await at_the_gate(bot_on)
    alone = await bot_on(model(), profile="embedded", answerability_threshold=gate).ask(NEAR_THE_GATE)
    away = await bot_on(ScriptedChatModel([]), answerability_threshold=gate).ask(NEAR_THE_GATE)
    assert (away.outcome, away.text, away.answerability) == (alone.outcome, alone.text, alone.answerability)
    assert [each.split(":")[0] for each in away.degraded] == ["judge_answerability", "write_answer"]
    assert judged_by(away, "judge_answerability").tie.endswith("asked in vain")


async def test_refusing_refuses_where_the_model_is_needed(bot_on: Ask) -> None:
    with pytest.raises(ChatUnavailable):
        await bot_on(ScriptedChatModel([]), degrade="refuse").ask(CONTESTED)
