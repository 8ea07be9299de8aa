"""Excerpts hold the sentence that speaks to the question, with its neighbours, in few words."""

from contracts.text import Passage
from tests.intrinsics.conftest import PassageMaker, handbook, make_passage  # noqa: F401 - they are fixtures
from tools.embedding.hashing import HashingEmbedder
from tools.evidence.features import best_excerpts, nearest_excerpts
from tools.evidence.reading import EvidenceReader


async def test_the_best_sentence_and_its_neighbours_are_kept(make_passage: PassageMaker) -> None:  # noqa: F811
    filler = [f"The hall number {at} is closed on the following Sunday afternoon." for at in range(20)]
    text = " ".join([*filler[:9], "The pump BLP4 needs twelve volts.", *filler[9:]])
    evidence = await EvidenceReader(HashingEmbedder()).read(
        "Which voltage does the pump BLP4 need?", [make_passage(text), make_passage(" \n", 1)]
    )
    excerpt, nothing = best_excerpts(evidence)
    assert "The pump BLP4 needs twelve volts." in excerpt
    assert "number 8" in excerpt
    assert "number 9" in excerpt
    assert 30 < len(excerpt.split()) <= 55
    assert nothing == ""
    assert nearest_excerpts(evidence) == (excerpt,)


async def test_the_nearest_passage_comes_first(handbook: tuple[Passage, ...]) -> None:  # noqa: F811
    evidence = await EvidenceReader(HashingEmbedder()).read("How are wafers cut into dies?", handbook)
    found = nearest_excerpts(evidence)
    assert len(found) == len(handbook)
    assert "diamond saw" in found[0]
    assert "Bad blocks" in nearest_excerpts(evidence, first=4)[0]
