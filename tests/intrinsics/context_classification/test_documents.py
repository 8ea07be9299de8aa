"""Documents as evidence: the meanings that the found passages use lead to their contexts."""

from dataclasses import replace

import pytest

from contracts.jargon import Context, Sense
from contracts.text import Passage
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_classification.features import DocumentContexts
from tests.conformance.reading_cases import make_passage
from tests.hashing_embedder import HashingEmbedder
from tools.jargon.memory import InMemoryJargonDictionary

NAMES = ("Baking", "Sailing")
SENSES = [
    Sense(id=1, term="PT", extended_name="Proofing Time", context="Baking"),
    Sense(id=2, term="PT", extended_name="Port Tack", context="Sailing", source="rig.pdf p. 3"),
    Sense(id=3, term="COG", extended_name="Course Over Ground", context="Sailing", source="rig.pdf p. 4"),
    Sense(id=4, term="kg", extended_name="Kilogram"),
    Sense(id=5, term="ship", extended_name="Boat", context="Sailing"),
]


def passage(text: str, *, document: str = "notes.md", dense: float = 0.8) -> Passage:
    return replace(make_passage(text), document_name=document, dense=dense)


def shares(*passages: Passage) -> tuple[float, float]:
    found = DocumentContexts(NAMES, SENSES).shares(passages)
    assert tuple(found) == NAMES
    return found["Baking"], found["Sailing"]


def test_a_meaning_spelt_out_speaks_for_its_context() -> None:
    baking, sailing = shares(passage("The proofing times are on the wall."))
    assert baking > 0.5
    assert sailing == 0.0


def test_a_term_speaks_where_it_has_one_context_and_is_written_so() -> None:
    assert shares(passage("The COG is on the display."))[1] > 0.5
    assert shares(passage("The PT is on the display.")) == (0.0, 0.0)  # it has two
    assert shares(passage("Every cog is greased.")) == (0.0, 0.0)  # another word
    assert shares(passage("A ship of boats.")) == (0.0, 0.0)  # ordinary words


def test_a_document_that_meanings_name_as_their_source_speaks_for_their_context() -> None:
    of_source = shares(passage("Nothing but prose.", document="rig.pdf"))
    assert of_source[0] == 0.0
    assert 0.0 < of_source[1] < shares(passage("The course over ground.", document="rig.pdf"))[1]
    assert shares(passage("Nothing but prose.", document="other.pdf")) == (0.0, 0.0)


def test_passages_that_are_not_like_the_question_say_nothing() -> None:
    assert shares(passage("The proofing time.", dense=0.2)) == (0.0, 0.0)
    strong, weak = shares(passage("The proofing time.")), shares(passage("The proofing time.", dense=0.4))
    assert strong[0] > weak[0] > 0.0


def test_what_speaks_for_no_context_dilutes_the_rest() -> None:
    alone = shares(passage("The proofing time."))[0]
    assert shares(passage("The proofing time."), passage("Nothing but prose."))[0] < alone
    assert shares(passage("The proofing time of a kilogram."))[0] < alone
    both = shares(passage("The proofing time."), passage("The port tack."))
    assert both[0] == pytest.approx(both[1])


async def test_the_classifier_follows_the_documents() -> None:
    contexts = tuple(Context(name=name) for name in NAMES)
    classifier = EmbeddedContextClassifier(HashingEmbedder(), InMemoryJargonDictionary(SENSES, contexts))
    found = (passage("The proofing time is on the wall."), passage("See the proofing time."))
    plain = await classifier.classify("Where is it written?", contexts)
    verdict = await classifier.classify("Where is it written?", contexts, passages=found)
    assert verdict.probability_of("Baking") > 2 * plain.probability_of("Baking")
    unlike = tuple(replace(each, dense=0.1) for each in found)
    assert (await classifier.classify("Where is it written?", contexts, passages=unlike)).contexts == plain.contexts
