"""Every implementation of JargonIdentifier keeps the contract."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.jargon import Context, Correction, Sense
from intrinsics.jargon_identification import JargonIdentifier
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from tools.jargon import Vocabulary

TERMS = {"DLL": ("DLL",), "VCCQ": ("VCCQ",), "wear levelling": ("wear levelling",), "ACT": ("ACT",), "WE#": ("WE#",)}


class ListedDictionary:
    """A dictionary of spellings only."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self.terms = dict(terms)
        self.changes = 0

    async def version(self) -> str:
        return str(self.changes)

    async def vocabulary(self) -> Vocabulary:
        return Vocabulary(version=str(self.changes), terms=dict(self.terms))

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        return dict.fromkeys(terms, ())

    async def contexts(self) -> tuple[Context, ...]:
        return ()

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        return None

    async def record_correction(self, correction: Correction) -> None:
        return None

    async def corrections(self) -> tuple[Correction, ...]:
        return ()


@pytest.fixture(params=["embedded"])
def identifier(request: pytest.FixtureRequest) -> JargonIdentifier:
    return {"embedded": EmbeddedJargonIdentifier}[request.param](ListedDictionary(TERMS))


async def test_finds_a_term_at_its_place(identifier: JargonIdentifier) -> None:
    question = "What does the dll do?"
    (mention,) = (await identifier.identify(question)).mentions
    assert question[mention.span.start : mention.span.end] == mention.text == "dll"
    assert mention.term == "DLL"
    assert mention.known


async def test_says_who_judged(identifier: JargonIdentifier) -> None:
    provenance = (await identifier.identify("What is a DLL?")).provenance
    assert provenance.implementation in {"embedded", "llm"}
    assert provenance.milliseconds > 0


pieces = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [*TERMS, "VCQQ", " ", "/", "é", "e\u0301", "ا", "\u202e", "10ns", "40MB/s", "DLLs'", "\x00", "𝕏", "ß", "İ"]
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pieces, max_size=12).map("".join))
async def test_no_input_breaks_it(identifier: JargonIdentifier, question: str) -> None:
    mentions = (await identifier.identify(question)).mentions
    end = 0
    for mention in mentions:
        assert end <= mention.span.start < mention.span.end <= len(question)
        assert question[mention.span.start : mention.span.end] == mention.text
        assert mention.term
        assert 0.0 < mention.probability <= 1.0
        end = mention.span.end
