"""Metrics of answers: citations, faithfulness by claims, and the gain of log-probability."""

from collections.abc import Sequence

import pytest

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.text import Chunk, Passage
from contracts.verdicts import FaithfulnessVerdict, SentenceFaithfulness
from golden_lab.metrics.answers import (
    CitedSentence,
    citation_precision,
    citation_recall,
    claim_faithfulness,
    joint_answerability_faithfulness,
    judge_citations,
)


class WordJudge:
    """Supports a sentence whose words all stand in the passages, and calls it partial where some do."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        there = {word for passage in passages for word in passage.text.split()}
        verdicts = []
        for sentence in sentences:
            self.asked.append((sentence, tuple(passage.text for passage in passages)))
            share = sum(word in there for word in sentence.split()) / len(sentence.split())
            label = "faithful" if share == 1 else "partial" if share else "unfaithful"
            verdicts.append(SentenceFaithfulness(label=label, probability=share))
        return FaithfulnessVerdict(sentences=tuple(verdicts), provenance=Provenance(implementation="words"))


def passage(text: str) -> Passage:
    chunk = Chunk(id=text, document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="d", document_title="d", score=0.0)


async def test_a_judge_is_asked_together_alone_and_without() -> None:
    first, second, other = passage("a b"), passage("b c"), passage("x")
    found = await judge_citations(
        WordJudge(),
        "q",
        ["a c", "a b", "b", "a z", "a"],
        [[first, second], [first, other], [first, second], [first, other], []],
    )
    assert found == (
        CitedSentence(supported=True, alone=(False, False), without=(False, False)),
        CitedSentence(supported=True, alone=(True, False), without=(False, True)),
        CitedSentence(supported=True, alone=(True, True), without=(True, True)),
        CitedSentence(supported=False, alone=(False, False), without=(False, False)),
        CitedSentence(supported=False),
    )
    assert citation_precision(found) == pytest.approx(5 / 8)
    assert citation_recall(found) == pytest.approx(3 / 5)


async def test_the_judge_is_not_asked_what_cannot_matter() -> None:
    judge = WordJudge()
    await judge_citations(judge, "q", ["a", "z", "a"], [[passage("a")], [passage("a"), passage("b")], []])
    assert judge.asked == [("a", ("a",)), ("z", ("a", "b"))]


def test_shares_by_hand() -> None:
    assert claim_faithfulness([True, True, False, True]) == 0.75
    with pytest.raises(InvalidInput, match="without claims"):
        claim_faithfulness([])
    assert joint_answerability_faithfulness(True, True, 0.25) == 0.25
    assert joint_answerability_faithfulness(False, False) == 1
    assert joint_answerability_faithfulness(True, False, 1.0) == joint_answerability_faithfulness(False, True) == 0
