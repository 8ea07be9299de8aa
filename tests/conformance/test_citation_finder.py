"""Every implementation of CitationFinder keeps the contract."""

from collections.abc import Sequence

import pytest

from contracts.text import Passage
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.citation.base import CitationFinder
from intrinsics.citation.embedded import EmbeddedCitationFinder
from tests.conformance.checking_chats import adapted_name_sources
from tests.conformance.reading_cases import PASSAGES, PUMP
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.adapted import published
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback


@pytest.fixture(params=["embedded", "adapter", "degrading"])
def finder(request: pytest.FixtureRequest) -> CitationFinder:
    adapter = published("citation")
    if request.param == "adapter":
        return AdaptedCitationFinder(ScriptedChatModel(adapted_name_sources), adapter)
    embedded: CitationFinder = EmbeddedCitationFinder(HashingEmbedder())
    down: CitationFinder = AdaptedCitationFinder(ScriptedChatModel([]), adapter)
    return with_fallback(down, embedded) if request.param == "degrading" else embedded


async def test_links_a_sentence_to_the_passage_sentence_that_says_it(finder: CitationFinder, degraded: bool) -> None:
    verdict = await finder.find(["Its bearing is greased every 500 hours."], PASSAGES)
    (link,) = verdict.links
    assert bool(verdict.provenance.degraded) is degraded
    assert (link.sentence, link.passage, link.passage_sentences) == (0, 0, (1,))
    assert 0.0 <= link.score <= 1.0


async def test_every_index_points_to_something(finder: CitationFinder) -> None:
    sentences = ["The P-300 pump runs at 96 V.", "Open the inlet valve.", "P-200: 48 V."]
    verdict = await finder.find(sentences, PASSAGES)
    for link in verdict.links:
        assert sentences[link.sentence]
        passage = PASSAGES[link.passage]
        assert link.passage_sentences
        for index in link.passage_sentences:
            assert passage.sentence(index)
    assert [link.sentence for link in verdict.links] == sorted(link.sentence for link in verdict.links)


async def test_finds_nothing_without_evidence_or_in_nothing(finder: CitationFinder) -> None:
    nothing: list[tuple[list[str], Sequence[Passage]]] = [
        (["Penguins are birds that cannot fly."], PASSAGES), ([], PASSAGES),
        (["The pump runs at 48 V."], ()), ([""], (PUMP,)),
    ]  # fmt: skip
    for sentences, passages in nothing:
        assert (await finder.find(sentences, passages)).links == (), sentences
