"""Every implementation of ContextClassifier keeps the contract."""

import math

import pytest

from contracts.jargon import Context
from contracts.question import Turn
from contracts.text import Chunk, Passage
from intrinsics.context_classification.base import ContextClassifier
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from tools.embedding.hashing import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (
    Context(name="Baking", description="Ovens, dough, flour and bread.", examples=("How long does dough rise?",)),
    Context(name="Sailing", description="Boats, sails, ropes and wind.", examples=("Which rope hoists a sail?",)),
)


@pytest.fixture
def classifier() -> ContextClassifier:
    return EmbeddedContextClassifier(HashingEmbedder(), InMemoryJargonDictionary((), CONTEXTS))


async def test_gives_a_distribution_with_the_right_context_first(classifier: ContextClassifier) -> None:
    verdict = await classifier.classify("Which rope moors the boat in the wind?", CONTEXTS)
    assert verdict.contexts[0].name == "Sailing"
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
