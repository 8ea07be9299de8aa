"""Other wordings for a second search: names, key words and feedback."""

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from tests.conformance.reading_cases import make_passage
from tools.jargon.memory import InMemoryJargonDictionary

SENSES = [
    Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Interfaces", aliases=("delay loop",)),
    Sense(id=2, term="BE", extended_name="Back End", context="Packaging", aliases=("backend",)),
]


def asked(question: str, *senses: Sense) -> AugmentedQuestion:
    readings = []
    for sense in senses:
        start = question.find(sense.term)
        mention = Mention(text=sense.term, span=Span(start, start + len(sense.term)), term=sense.term, known=True)
        readings.append(Reading(mention=mention, status="chosen", sense=sense))
    text = question + "\nmeans"
    provenance = Provenance(implementation="embedded")
    return AugmentedQuestion(question=question, text=text, readings=tuple(readings), provenance=provenance)


async def expand(question: AugmentedQuestion, *seen: Passage) -> tuple[str, ...]:
    return (await EmbeddedQueryExpander(InMemoryJargonDictionary(SENSES)).expand(question, seen)).variants


async def test_spells_abbreviations_out_and_puts_a_term_under_its_other_names() -> None:
    variants = await expand(asked("When is the DLL switched off?", SENSES[0]))
    assert variants[0] == "When is the Delay-Locked Loop switched off?"
    assert "When is the DLL switched off?" not in variants
    assert "What happens in the BE after sawing?" in await expand(asked("What happens in the backend after sawing?"))


async def test_drops_question_words() -> None:
    variants = await expand(asked("Could you please tell me which oven is used for burn-in?"))
    assert any("oven" in variant and "please" not in variant and "Could" not in variant for variant in variants)


async def test_learns_words_from_the_passages_seen() -> None:
    seen = [
        make_passage("The thermal chamber soaks the parts.", heading=("Burn-in oven",)),
        make_passage("A chamber holds 400 parts."),
    ]
    variants = await expand(asked("How hot is the oven?"), *seen)
    assert any("chamber" in variant for variant in variants)
