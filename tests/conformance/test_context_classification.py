"""Every implementation of ContextClassifier keeps the contract."""

import math

import pytest

from contracts.jargon import Context
from intrinsics.context_classification import ContextClassifier
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from tools.embedding.hashing import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (
    Context(name="Baking", description="Ovens, dough, flour and bread.", examples=("How long does dough rise?",)),
    Context(name="Sailing", description="Boats, sails, ropes and wind.", examples=("Which rope hoists a sail?",)),
)


@pytest.fixture(params=["embedded"])
def classifier(request: pytest.FixtureRequest) -> ContextClassifier:
    dictionary = InMemoryJargonDictionary((), CONTEXTS)
    return {"embedded": EmbeddedContextClassifier}[request.param](HashingEmbedder(), dictionary)


async def test_gives_a_distribution_with_the_right_context_first(classifier: ContextClassifier) -> None:
    verdict = await classifier.classify("Which rope moors the boat in the wind?", CONTEXTS)
    assert verdict.contexts[0].name == "Sailing"
    total = sum(each.probability for each in verdict.contexts) + verdict.none_of_these
    assert math.isclose(total, 1.0, abs_tol=1e-6)
