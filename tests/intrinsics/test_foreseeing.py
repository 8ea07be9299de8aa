"""Checks that begin with a sentence while the next is written give what they would give at the end."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from agent.foreseeing import DraftFollower
from contracts.text import Chunk, Passage
from contracts.verdicts import CitationVerdict, FaithfulnessVerdict
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.citation.foreseeing import ForeseeingCitationFinder
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.faithfulness.foreseeing import ForeseeingFaithfulnessJudge
from tools.embedding.hashing import HashingEmbedder
from tools.search.sentences import sentences_in

QUESTION = "How hot may the pump run?"
TEXT = "The pump runs at 40 °C at most. Stop it at 45 °C. Its seal lasts for 900 hours."
SENTENCES = ("The pump runs at 40 °C at most.", "Its seal lasts for 700 hours.", "It stops at 45 °C.")


def passages() -> tuple[Passage, ...]:
    chunk = Chunk(id="c", document_id="d", kind="passage", ordinal=0, text=TEXT, page=1, last_page=1)
    return (Passage(chunk=chunk, document_name="d.txt", document_title="", score=0.0, sentences=sentences_in(chunk)),)


class NotingJudge(EmbeddedFaithfulnessJudge):
    """Judges as the embedded judge does and notes the sentences."""

    def __init__(self) -> None:
        super().__init__(HashingEmbedder())
        self.judged: list[str] = []

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        self.judged += sentences
        return await super().judge(question, sentences, passages)


class NotingFinder(EmbeddedCitationFinder):
    """Finds as the embedded finder does and notes the sentences."""

    def __init__(self) -> None:
        super().__init__(HashingEmbedder())
        self.judged: list[str] = []

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        self.judged += sentences
        return await super().find(sentences, passages, question=question)


@pytest.mark.parametrize("foreseen", [(), (0,), (1,), (0, 2), (2, 1, 0)])
async def test_verdicts_are_those_of_judging_at_the_end(foreseen: tuple[int, ...]) -> None:
    read = passages()
    judge, finder = NotingJudge(), NotingFinder()
    early, found = ForeseeingFaithfulnessJudge(judge), ForeseeingCitationFinder(finder)
    for number in foreseen:
        early.foresee(QUESTION, SENTENCES[number], read)
        found.foresee(QUESTION, SENTENCES[number], read)
    verdict = await early.judge(QUESTION, SENTENCES, read)
    links = await found.find(SENTENCES, read, question=QUESTION)
    assert sorted(judge.judged) == sorted(finder.judged) == sorted(SENTENCES), "each is judged once"
    assert verdict.sentences == (await NotingJudge().judge(QUESTION, SENTENCES, read)).sentences
    assert links.links == (await NotingFinder().find(SENTENCES, read, question=QUESTION)).links
    assert [each.label == "faithful" for each in verdict.sentences] == [True, False, True]
    assert {link.sentence for link in links.links} >= {0, 2}
    assert replace(verdict.provenance, milliseconds=0.0) == replace(
        (await judge.judge(QUESTION, [], read)).provenance, milliseconds=0.0
    )


async def test_an_answer_without_sentences_has_no_verdicts() -> None:
    read = passages()
    assert (await ForeseeingFaithfulnessJudge(NotingJudge()).judge(QUESTION, (), read)).sentences == ()
    assert (await ForeseeingCitationFinder(NotingFinder()).find((), read, question=QUESTION)).links == ()


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 3, 7, 1_000])
async def test_every_sentence_of_a_stream_is_foreseen_by_its_end(size: int) -> None:
    judge = NotingJudge()
    foreseeing, read = ForeseeingFaithfulnessJudge(judge), passages()
    follower = DraftFollower([foreseeing], QUESTION, read)
    streamed = ""
    for piece in pieces(" ".join(SENTENCES), size):
        streamed += piece
        follower.follow(streamed, piece)
    await asyncio.sleep(0)
    begun = set(judge.judged)
    assert begun >= set(SENTENCES)
    verdict = await foreseeing.judge(QUESTION, SENTENCES, read)
    assert set(judge.judged) == begun, "nothing was left to judge at the end"
    assert verdict.sentences == (await NotingJudge().judge(QUESTION, SENTENCES, read)).sentences


@pytest.mark.parametrize("rest", ["Its seal", "It takes 1.", "| Seal | 900 |"])
async def test_a_sentence_that_may_go_on_is_left_alone(rest: str) -> None:
    judge = NotingJudge()
    follower = DraftFollower([ForeseeingFaithfulnessJudge(judge)], QUESTION, passages())
    follower.follow(f"The pump runs at 40 °C at most. {rest}", f"most. {rest}")
    await asyncio.sleep(0)
    assert judge.judged == ["The pump runs at 40 °C at most."]
