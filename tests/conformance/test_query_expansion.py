"""Every implementation of QueryExpander keeps the contract."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Span
from intrinsics.query_expansion import QueryExpander
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from tools.jargon.memory import InMemoryJargonDictionary

SENSE = Sense(id=1, term="DLL", extended_name="Delay-Locked Loop")


@pytest.fixture(params=["embedded"])
def expander(request: pytest.FixtureRequest) -> QueryExpander:
    return {"embedded": EmbeddedQueryExpander}[request.param](InMemoryJargonDictionary([SENSE]))


async def test_variants_are_new_wordings(expander: QueryExpander) -> None:
    question = "When is the DLL switched off?"
    mention = Mention(text="DLL", span=Span(12, 15), term="DLL", known=True)
    augmented = AugmentedQuestion(
        question=question,
        text=question,
        readings=(Reading(mention=mention, status="chosen", sense=SENSE),),
        provenance=Provenance(implementation="embedded"),
    )
    variants = (await expander.expand(augmented, ())).variants
    assert variants
    assert all(variant.strip() and variant != question for variant in variants)
