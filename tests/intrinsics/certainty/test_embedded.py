"""The embedded certainty estimator: steps of 0.1, and more evidence never makes it less certain."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.provenance import Provenance
from contracts.text import Chunk, Passage
from contracts.verdicts import (
    FaithfulnessLabel,
    FaithfulnessVerdict,
    PassageRelevance,
    RelevanceVerdict,
    SentenceFaithfulness,
)
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator

MADE = Provenance(implementation="test")
CHUNK = Chunk(id="c", document_id="d", kind="passage", ordinal=0, text="Text.", page=1, last_page=1)
PASSAGE = Passage(chunk=CHUNK, document_name="d", document_title="D", score=1.0)


def certainty(
    answerability: float,
    faithfulness: list[float],
    relevance: list[float],
    *,
    label: FaithfulnessLabel = "faithful",
    answer: str = "An answer.",
) -> float:
    evidence = AnswerEvidence(
        question="A question?",
        answer=answer,
        passages=(PASSAGE,) * len(relevance),
        answerability=answerability,
        faithfulness=FaithfulnessVerdict(
            sentences=tuple(SentenceFaithfulness(label=label, probability=each) for each in faithfulness),
            provenance=MADE,
        ),
        relevance=RelevanceVerdict(
            passages=tuple(PassageRelevance(label="relevant", probability=each) for each in relevance), provenance=MADE
        ),
    )
    return asyncio.run(EmbeddedCertaintyEstimator().estimate(evidence)).probability


unit = st.floats(0, 1)


@settings(max_examples=60, deadline=None)
@given(unit, unit, st.lists(unit, min_size=1, max_size=4), st.lists(unit, min_size=1, max_size=4))
def test_steps_of_a_tenth_and_monotone_in_answerability(
    low: float, high: float, faithfulness: list[float], relevance: list[float]
) -> None:
    less, more = certainty(min(low, high), faithfulness, relevance), certainty(max(low, high), faithfulness, relevance)
    assert less <= more
    assert round(more * 10) == more * 10


@settings(max_examples=60, deadline=None)
@given(unit, unit, unit, st.lists(unit, min_size=1, max_size=4))
def test_a_more_faithful_sentence_never_lowers_it(
    answerability: float, low: float, high: float, relevance: list[float]
) -> None:
    less = certainty(answerability, [min(low, high), 0.5], relevance)
    assert less <= certainty(answerability, [max(low, high), 0.5], relevance)
