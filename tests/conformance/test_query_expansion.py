"""Every implementation of QueryExpander keeps the contract."""

import json

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Span
from intrinsics.query_expansion.base import QueryExpander
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from intrinsics.query_expansion.llm import PromptedQueryExpander
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback
from tools.jargon.memory import InMemoryJargonDictionary

SENSE = Sense(id=1, term="DLL", extended_name="Delay-Locked Loop")


REPLY = json.dumps(
    {
        "answers": ["The DLL rests in slow mode.", "When is the DLL switched off?"],
        "backward": ["In which mode does the DLL rest?"],
        "synonymic": ["When is the delay-locked loop disabled?", ""],
    }
)


def _embedded() -> QueryExpander:
    return EmbeddedQueryExpander(InMemoryJargonDictionary([SENSE]))


@pytest.fixture(
    params=[
        _embedded,
        lambda: PromptedQueryExpander(ScriptedChatModel([REPLY])),
        lambda: with_fallback(PromptedQueryExpander(ScriptedChatModel([])), _embedded()),
    ],
    ids=["embedded", "llm", "degrading"],
)
def expander(request: pytest.FixtureRequest) -> QueryExpander:
    built: QueryExpander = request.param()
    return built


async def test_variants_are_new_wordings(expander: QueryExpander, degraded: bool) -> None:
    question = "When is the DLL switched off?"
    mention = Mention(text="DLL", span=Span(12, 15), term="DLL", known=True)
    augmented = AugmentedQuestion(
        question=question,
        text=question,
        readings=(Reading(mention=mention, status="chosen", sense=SENSE),),
        provenance=Provenance(implementation="embedded"),
    )
    found = await expander.expand(augmented, ())
    variants = found.variants
    assert bool(found.provenance.degraded) is degraded
    assert variants
    assert all(variant.strip() and variant != question for variant in variants)
