"""Other wordings for a second search: names, key words and feedback."""

from contracts.jargon import Sense
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from tests.conformance.reading_cases import ask, make_passage, make_reading
from tools.jargon.memory import InMemoryJargonDictionary

SENSES = [
    Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Interfaces", aliases=("delay loop",)),
    Sense(id=2, term="BE", extended_name="Back End", context="Packaging", aliases=("backend",)),
]


async def expand(question: AugmentedQuestion, *seen: Passage) -> tuple[str, ...]:
    return (await EmbeddedQueryExpander(InMemoryJargonDictionary(SENSES)).expand(question, seen)).variants


async def test_spells_abbreviations_out_and_puts_a_term_under_its_other_names() -> None:
    question = "When is the DLL switched off?"
    variants = await expand(ask(question, make_reading(question, "DLL", SENSES[0])))
    assert variants[0] == "When is the Delay-Locked Loop switched off?"
    assert question not in variants
    assert "What happens in the BE after sawing?" in await expand(ask("What happens in the backend after sawing?"))


async def test_drops_question_words() -> None:
    variants = await expand(ask("Could you please tell me which oven is used for burn-in?"))
    assert any("oven" in variant and "please" not in variant and "Could" not in variant for variant in variants)


async def test_learns_words_from_the_passages_seen() -> None:
    seen = [
        make_passage("The thermal chamber soaks the parts.", heading=("Burn-in oven",)),
        make_passage("A chamber holds 400 parts."),
    ]
    variants = await expand(ask("How hot is the oven?"), *seen)
    assert any("chamber" in variant for variant in variants)
