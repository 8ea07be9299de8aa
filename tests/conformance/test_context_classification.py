"""Every implementation of ContextClassifier keeps the contract."""

import json
import math

import pytest

from contracts.jargon import Context
from contracts.question import Turn
from contracts.text import Chunk, Passage
from intrinsics.context_classification.base import ContextClassifier
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_classification.llm import PromptedContextClassifier
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading
from tools.embedding.hashing import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (
    Context(name="Baking", description="Ovens, dough, flour and bread.", examples=("How long does dough rise?",)),
    Context(name="Sailing", description="Boats, sails, ropes and wind.", examples=("Which rope hoists a sail?",)),
)


def _embedded() -> ContextClassifier:
    return EmbeddedContextClassifier(HashingEmbedder(), InMemoryJargonDictionary((), CONTEXTS))


def _reply(request: ChatRequest) -> str:
    letter = "B" if "rope" in request.messages[-1].content.split("Code: ")[1] else "C"
    return json.dumps({"reasoning": "A rope belongs to a boat.", "context": letter})


@pytest.fixture(
    params=[
        _embedded,
        lambda: PromptedContextClassifier(ScriptedChatModel(_reply)),
        lambda: degrading(PromptedContextClassifier(ScriptedChatModel([])), _embedded()),
    ],
    ids=["embedded", "llm", "degrading"],
)
def classifier(request: pytest.FixtureRequest) -> ContextClassifier:
    built: ContextClassifier = request.param()
    return built


async def test_gives_a_distribution_with_the_right_context_first(classifier: ContextClassifier, degraded: bool) -> None:
    verdict = await classifier.classify("Which rope moors the boat in the wind?", CONTEXTS)
    assert verdict.contexts[0].name == "Sailing"
    assert bool(verdict.provenance.degraded) is degraded
    total = sum(each.probability for each in verdict.contexts) + verdict.none_of_these
    assert math.isclose(total, 1.0, abs_tol=1e-6)


QUESTIONS = ("Which rope moors the boat in the wind?", "", "?", "\x00\ud800", "DROP TABLE", "船", "x" * 5_000)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_any_question_with_all_evidence_there_is_gives_a_distribution(
    classifier: ContextClassifier, question: str
) -> None:
    chunk = Chunk(id="1", document_id="1", kind="passage", ordinal=0, text="Ropes and dough.", page=1, last_page=1)
    passage = Passage(chunk=chunk, document_name="a.md", document_title="", score=1.0, dense=0.9)
    history = (Turn(role="user", text=question), Turn(role="assistant", text="Yes."))
    verdict = await classifier.classify(
        question, CONTEXTS, history=history, department="sailing", passages=(passage, passage)
    )
    values = [each.probability for each in verdict.contexts]
    assert {each.name for each in verdict.contexts} == {"Baking", "Sailing"}
    assert values == sorted(values, reverse=True)
    assert math.isclose(sum(values) + verdict.none_of_these, 1.0, abs_tol=1e-6)


async def test_without_contexts_it_is_none_of_them(classifier: ContextClassifier) -> None:
    verdict = await classifier.classify("Which rope?", ())
    assert (verdict.contexts, verdict.best, verdict.none_of_these) == ((), "", 1.0)
