"""Every implementation of JargonIdentifier keeps the contract."""

import sys
from collections.abc import Sequence
from types import FrameType
from unittest.mock import AsyncMock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.jargon import Mention
from contracts.provenance import Provenance
from contracts.verdicts import IdentifiedJargon
from intrinsics.jargon_identification.base import JargonIdentifier
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.jargon_identification.listed_terms import ListedTerms
from tests.intrinsics.jargon_identification.listed import ListedDictionary

TERMS = ["DLL", "VCCQ", "wear levelling", "ACT", "WE#", "3DNAND", "(.*)", "e\u0301tat", "שלום", "'; DROP TABLE terms"]
NAMES = {"Final Test": ("FT",), "Bit (bad) Error": ("BE",), "שלום עולם": ("שלום",), "%s_%d [a-z]": ("PCT",)}


class WordLister:
    """Places every word of a question, and one that is not in it: what comes of the worst list is still sound."""

    def __init__(self) -> None:
        self._terms = ListedTerms(ListedDictionary(TERMS, names=NAMES))

    async def identify(self, question: str) -> IdentifiedJargon:
        mentions = await self._terms.place(question, [*question.split(), question, "Good Till Cancelled"])
        return IdentifiedJargon(mentions=mentions, provenance=Provenance(implementation="test"))


@pytest.fixture(
    params=[lambda: EmbeddedJargonIdentifier(ListedDictionary(TERMS, names=NAMES)), WordLister],
    ids=["embedded", "listed"],
)
def identifier(request: pytest.FixtureRequest) -> JargonIdentifier:
    built: JargonIdentifier = request.param()
    return built


async def test_finds_a_term_at_its_place(identifier: JargonIdentifier) -> None:
    question = "What does the dll do?"
    (mention,) = [each for each in (await identifier.identify(question)).mentions if each.known]
    assert question[mention.span.start : mention.span.end] == mention.text == "dll"
    assert mention.term == "DLL"
    assert mention.known


pieces = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            *TERMS, *NAMES, "VCQQ", " ", "/", "é", "e\u0301", "ا", "\u202e", "\u200f", "10ns", "40MB/s", "50MUBO",
            "DLLs'",
            "\x00", "𝕏", "ß", "İ", "ﬁnal", "D.L.L.",
            "\ud800", "\u0301", "क्षि", "👩\u200d👧", "--", ";", "%", "_", "[", "(?:",
            "\\", "NOT",
        ]
    ),
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pieces, max_size=12).map("".join))
async def test_any_input_is_accepted(identifier: JargonIdentifier, question: str) -> None:
    _check((await identifier.identify(question)).mentions, question)


def _check(mentions: Sequence[Mention], question: str) -> None:
    """Check that mentions stand where they say, in order, not overlapping."""
    end = 0
    for mention in mentions:
        assert end <= mention.span.start < mention.span.end <= len(question)
        assert question[mention.span.start : mention.span.end] == mention.text
        assert mention.term
        assert 0.0 < mention.probability <= 1.0
        end = mention.span.end


LENGTH = 8_000


async def test_work_grows_linearly_with_the_question(subtests: pytest.Subtests) -> None:
    for piece in [
        "a", "A", "AB ", "AB,", "IT ", "it ", "NOT ", "5GC ", "5G", "7xy8 ", "VCQQ ", "vcqq ", "final test ", "a.",
        "A.B.", "a@", "x_",
        "a-", "'", "DLL/", "(AB) ", "e\u0301", "\u202eDLL ", "http://", "ab/cd/", "What is X? ", "1.", "1,000", "((",
        "DLL (", "İ",
    ]:  # fmt: skip
        with subtests.test(piece=piece):
            quarter, whole = (piece * LENGTH)[: LENGTH // 4], (piece * LENGTH)[:LENGTH]
            documents = AsyncMock(return_value=False)
            identifier = EmbeddedJargonIdentifier(ListedDictionary(TERMS, names=NAMES), known_words=documents)
            await identifier.identify("")
            calls = [await _calls(identifier, quarter), await _calls(identifier, whole)]
            assert calls[1] <= 4.5 * calls[0] + 1_000
            assert documents.await_count <= 3 * 100


async def test_number_of_words_compared_with_dictionary_and_documents_is_bounded() -> None:
    terms = [f"{a}{b}RDL{c}" for a in "BCDFG" for b in "HJKLM" for c in "NPQRS"]
    typed = [f"{term[0]}{term[2]}{term[1]}{term[3:]}" for term in terms] * 3 + [f"{number}XY" for number in range(500)]
    documents = AsyncMock(return_value=False)
    identifier = EmbeddedJargonIdentifier(ListedDictionary(terms), known_words=documents)
    question = " ".join(typed)
    _check((await identifier.identify(question)).mentions, question)
    assert 0 < documents.await_count <= 100


async def _calls(identifier: JargonIdentifier, question: str) -> int:
    """Count the calls that reading ``question`` makes: work, whatever the machine is doing beside it."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        mentions = (await identifier.identify(question)).mentions
    finally:
        sys.setprofile(before)
    _check(mentions, question)
    return counted
