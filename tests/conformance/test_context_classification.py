"""Every implementation of ContextClassifier keeps the contract."""

import math
from dataclasses import replace

import pytest

from contracts.jargon import Context
from contracts.question import Turn
from intrinsics.context_classification.base import ContextClassifier
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from tests.conformance.reading_cases import ODD_QUESTIONS, make_passage
from tools.embedding.hashing import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (
    Context(name="Baking", description="Ovens, dough, flour and bread.", examples=("How long does dough rise?",)),
    Context(name="Sailing", description="Boats, sails, ropes and wind.", examples=("Which rope hoists a sail?",)),
)


@pytest.fixture
def classifier() -> ContextClassifier:
    return EmbeddedContextClassifier(HashingEmbedder(), InMemoryJargonDictionary((), CONTEXTS))


async def test_the_right_context_comes_first_and_without_contexts_it_is_none(classifier: ContextClassifier) -> None:
    verdict = await classifier.classify("Which rope moors the boat in the wind?", CONTEXTS)
    assert verdict.contexts[0].name == "Sailing"
    verdict = await classifier.classify("Which rope?", ())
    assert (verdict.contexts, verdict.best, verdict.none_of_these) == ((), "", 1.0)


async def test_any_question_with_all_evidence_there_is_gives_a_distribution(
    classifier: ContextClassifier, subtests: pytest.Subtests
) -> None:
    passage = replace(make_passage("Ropes and dough."), dense=0.9)
    for question in ODD_QUESTIONS:
        with subtests.test(question=question[:20]):
            history = (Turn(role="user", text=question), Turn(role="assistant", text="Yes."))
            verdict = await classifier.classify(
                question, CONTEXTS, history=history, department="sailing", passages=(passage, passage)
            )
            values = [each.probability for each in verdict.contexts]
            assert {each.name for each in verdict.contexts} == {"Baking", "Sailing"}
            assert values == sorted(values, reverse=True)
            assert math.isclose(sum(values) + verdict.none_of_these, 1.0, abs_tol=1e-6)
