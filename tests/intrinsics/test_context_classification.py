"""The embedded context classifier: each kind of evidence moves the distribution its way."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from contracts.jargon import Context, Correction, Sense
from contracts.question import Turn
from contracts.text import Passage
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_classification.features import DocumentContexts
from tests.conformance.reading_cases import ODD_QUESTIONS, make_passage
from tests.databases import memory_store
from tests.hashing_embedder import HashingEmbedder
from tools.jargon.sql import SqlJargonDictionary

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
    return EmbeddedContextClassifier(HashingEmbedder(), SqlJargonDictionary(memory_store(SENSES, CONTEXTS)))


async def test_the_words_and_terms_of_the_question_decide(classifier: EmbeddedContextClassifier) -> None:
    for question, name in (
        ("How long must the dough of this loaf rise before it is baked?", "Baking"),
        ("Which ropes moor the boat against the wind?", "Sailing"),
        ("What does COG tell me?", "Sailing"),
    ):
        assert (await classifier.classify(question, CONTEXTS)).contexts[0].name == name, question
    assert (await classifier.classify("Who won the chess championship in 1972?", CONTEXTS)).best == ""


async def test_department_and_history_are_evidence(classifier: EmbeddedContextClassifier) -> None:
    question = "What does PT mean?"
    plain = await classifier.classify(question, CONTEXTS)
    department = await classifier.classify(question, CONTEXTS, department="sailing")
    history = [Turn(role="user", text="How do I steer the boat when the wind turns the sails?")]
    earlier = await classifier.classify(question, CONTEXTS, history=history)
    assert department.probability_of("Sailing") > plain.probability_of("Sailing")
    assert earlier.probability_of("Sailing") > plain.probability_of("Sailing")


ROPE = "How long is it left before it is used?"


async def _corrected(*contexts: str, questions: Sequence[str] = ()) -> EmbeddedContextClassifier:
    """Return a classifier after one correction for each of ``contexts``, in questions about much the same."""
    dictionary = SqlJargonDictionary(memory_store(SENSES, CONTEXTS))
    names = {"Baking": "Proofing Time", "Sailing": "Port Tack"}
    for number, context in enumerate(contexts):
        asked = questions[number] if questions else f"{ROPE} ({number})"
        await dictionary.record_correction(
            Correction(term="PT", extended_name=names[context], context=context, question=asked)
        )
    return EmbeddedContextClassifier(HashingEmbedder(), dictionary)


async def _of_sailing(classifier: EmbeddedContextClassifier, question: str = ROPE, department: str = "") -> float:
    return (await classifier.classify(question, CONTEXTS, department=department)).probability_of("Sailing")


async def test_corrected_questions_are_evidence_for_questions_like_them() -> None:
    plain, one = await _of_sailing(await _corrected()), await _of_sailing(await _corrected("Sailing"))
    assert plain < one < await _of_sailing(await _corrected("Sailing", "Sailing", "Sailing"))
    elsewhere = "Who won the chess championship in 1972?"
    assert await _of_sailing(await _corrected("Sailing"), elsewhere) == await _of_sailing(await _corrected(), elsewhere)
    # One wrong click does not change the context, several do.
    question = "How many hours does it rest?"
    before = await (await _corrected()).classify(question, CONTEXTS)
    assert before.contexts[0].name == "Baking"
    one = await (await _corrected("Sailing", questions=[question])).classify(question, CONTEXTS)
    assert one.contexts[0].name == "Baking"
    asked = [f"{question}{'!' * number}" for number in range(6)]
    many = await (await _corrected(*["Sailing"] * 6, questions=asked)).classify(question, CONTEXTS)
    assert many.best == "Sailing"

    # Contradictory corrections count little.
    both = await (await _corrected("Sailing", "Baking", "Sailing", "Baking")).classify(ROPE, CONTEXTS)
    alone = await (await _corrected("Sailing", "Sailing", "Sailing", "Sailing")).classify(ROPE, CONTEXTS)
    gap = both.probability_of("Sailing") - both.probability_of("Baking")
    assert abs(gap) < alone.probability_of("Sailing") - alone.probability_of("Baking")


async def test_correction_without_question_or_context_is_not_evidence() -> None:
    senses = [*SENSES, Sense(id=4, term="PT", extended_name="Part")]
    dictionary = SqlJargonDictionary(memory_store(senses, CONTEXTS))
    await dictionary.record_correction(Correction(term="PT", extended_name="Port Tack", context="Sailing", question=""))
    await dictionary.record_correction(Correction(term="PT", extended_name="Part", context="", question=ROPE))
    same = EmbeddedContextClassifier(HashingEmbedder(), SqlJargonDictionary(memory_store(senses, CONTEXTS)))
    assert await _of_sailing(EmbeddedContextClassifier(HashingEmbedder(), dictionary)) == await _of_sailing(same)


async def test_any_question_with_all_evidence_gives_a_distribution(classifier: EmbeddedContextClassifier) -> None:
    passage = replace(make_passage("Ropes and dough."), dense=0.9)
    for question in ODD_QUESTIONS:
        history = (Turn(role="user", text=question), Turn(role="assistant", text="Yes."))
        verdict = await classifier.classify(
            question, CONTEXTS, history=history, department="sailing", passages=(passage, passage)
        )
        values = [each.probability for each in verdict.contexts]
        assert math.isclose(sum(values) + verdict.none_of_these, 1.0, abs_tol=1e-6)
        assert values == sorted(values, reverse=True)
        assert {each.name for each in verdict.contexts} == {"Baking", "Sailing"}
    none = await classifier.classify("Which rope?", ())
    assert (none.contexts, none.best, none.none_of_these) == ((), "", 1.0)


NAMES = ("Baking", "Sailing")
SHORT_SENSES = [
    Sense(id=1, term="PT", extended_name="Proofing Time", context="Baking"),
    Sense(id=2, term="PT", extended_name="Port Tack", context="Sailing", source="rig.pdf p. 3"),
    Sense(id=3, term="COG", extended_name="Course Over Ground", context="Sailing", source="rig.pdf p. 4"),
    Sense(id=4, term="kg", extended_name="Kilogram"),
    Sense(id=5, term="ship", extended_name="Boat", context="Sailing"),
]


def passage(text: str, *, document: str = "notes.md", dense: float = 0.8) -> Passage:
    return replace(make_passage(text), document_name=document, dense=dense)


def shares(*passages: Passage) -> tuple[float, float]:
    found = DocumentContexts(NAMES, SHORT_SENSES).shares(passages)
    assert tuple(found) == NAMES
    return found["Baking"], found["Sailing"]


def test_spelt_out_meaning_or_term_of_one_context_supports_it() -> None:
    baking, sailing = shares(passage("The proofing times are on the wall."))
    assert (baking > 0.5, sailing) == (True, 0.0)
    assert shares(passage("The COG is on the display."))[1] > 0.5
    # A term of two contexts, another word, and ordinary words.
    for silent in ("The PT is on the display.", "Every cog is greased.", "A ship of boats."):
        assert shares(passage(silent)) == (0.0, 0.0), silent
    # The source document of meanings supports their context.
    of_source = shares(passage("Nothing but prose.", document="rig.pdf"))
    assert of_source[0] == 0.0
    assert 0.0 < of_source[1] < shares(passage("The course over ground.", document="rig.pdf"))[1]
    assert shares(passage("Nothing but prose.", document="other.pdf")) == (0.0, 0.0)


def test_dissimilar_passages_are_not_evidence() -> None:
    assert shares(passage("The proofing time.", dense=0.2)) == (0.0, 0.0)
    strong, weak = shares(passage("The proofing time.")), shares(passage("The proofing time.", dense=0.4))
    assert strong[0] > weak[0] > 0.0
    # Passages without a context dilute the others.
    alone = shares(passage("The proofing time."))[0]
    assert shares(passage("The proofing time."), passage("Nothing but prose."))[0] < alone
    assert shares(passage("The proofing time of a kilogram."))[0] < alone
    both = shares(passage("The proofing time."), passage("The port tack."))
    assert both[0] == pytest.approx(both[1])


async def test_the_classifier_follows_the_documents() -> None:
    contexts = tuple(Context(name=name) for name in NAMES)
    classifier = EmbeddedContextClassifier(HashingEmbedder(), SqlJargonDictionary(memory_store(SHORT_SENSES, contexts)))
    found = (passage("The proofing time is on the wall."), passage("See the proofing time."))
    plain = await classifier.classify("Where is it written?", contexts)
    verdict = await classifier.classify("Where is it written?", contexts, passages=found)
    assert verdict.probability_of("Baking") > 2 * plain.probability_of("Baking")
    unlike = tuple(replace(each, dense=0.1) for each in found)
    assert (await classifier.classify("Where is it written?", contexts, passages=unlike)).contexts == plain.contexts
