"""The embedded context classifier: each kind of evidence moves the distribution its way."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.jargon import Context, Sense
from contracts.question import Turn
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from tools.embedding.hashing import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (
    Context(
        name="Baking",
        description="Ovens, dough, flour and bread: how loaves are made and baked.",
        examples=("How hot is the oven for a loaf?", "How long does the dough rise?"),
    ),
    Context(
        name="Sailing",
        description="Boats, sails, ropes and wind: how a boat is steered and moored.",
        examples=("Which rope hoists the mainsail?", "How do I moor in strong wind?"),
    ),
)
SENSES = [
    Sense(id=1, term="PT", extended_name="Proofing Time", context="Baking", description="Hours the dough rests."),
    Sense(id=2, term="PT", extended_name="Port Tack", context="Sailing", description="Wind from the left."),
    Sense(id=3, term="COG", extended_name="Course Over Ground", context="Sailing", description="Direction of travel."),
]


@pytest.fixture(scope="module")
def classifier() -> EmbeddedContextClassifier:
    return EmbeddedContextClassifier(HashingEmbedder(), InMemoryJargonDictionary(SENSES, CONTEXTS))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How long must the dough of this loaf rise before it is baked?", "Baking"),
        ("Which ropes moor the boat against the wind?", "Sailing"),
        ("What does COG tell me?", "Sailing"),
        ("How many hours does it rest?", "Baking"),
    ],
)
async def test_the_words_and_terms_of_the_question_decide(
    classifier: EmbeddedContextClassifier, question: str, name: str
) -> None:
    assert (await classifier.classify(question, CONTEXTS)).contexts[0].name == name


async def test_department_and_history_are_evidence(classifier: EmbeddedContextClassifier) -> None:
    question = "What does PT mean?"
    plain = await classifier.classify(question, CONTEXTS)
    department = await classifier.classify(question, CONTEXTS, department="sailing")
    history = [Turn(role="user", text="How do I steer the boat when the wind turns the sails?")]
    earlier = await classifier.classify(question, CONTEXTS, history=history)
    assert department.probability_of("Sailing") > plain.probability_of("Sailing")
    assert earlier.probability_of("Sailing") > plain.probability_of("Sailing")


async def test_a_question_about_nothing_of_this_is_none_of_these(classifier: EmbeddedContextClassifier) -> None:
    verdict = await classifier.classify("Who won the chess championship in 1972?", CONTEXTS)
    assert verdict.best == ""


async def test_without_contexts_it_is_none_of_them(classifier: EmbeddedContextClassifier) -> None:
    verdict = await classifier.classify("How hot?", ())
    assert verdict.contexts == ()
    assert verdict.none_of_these == 1.0


async def test_other_contexts_are_looked_at_afresh(classifier: EmbeddedContextClassifier) -> None:
    chess = (*CONTEXTS, Context(name="Chess", description="Championships, openings, pieces of chess."))
    verdict = await classifier.classify("Which chess opening was played in the championship?", chess)
    assert verdict.contexts[0].name == "Chess"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80), st.sampled_from(["", "Baking", "nowhere"]))
async def test_any_question_gives_a_distribution(
    classifier: EmbeddedContextClassifier, question: str, department: str
) -> None:
    verdict = await classifier.classify(question, CONTEXTS, department=department)
    values = [each.probability for each in verdict.contexts]
    assert math.isclose(sum(values) + verdict.none_of_these, 1.0, abs_tol=1e-6)
    assert values == sorted(values, reverse=True)
    assert {each.name for each in verdict.contexts} == {"Baking", "Sailing"}
