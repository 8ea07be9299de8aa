"""What is known of an answer when its certainty is estimated."""

from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import (
    FaithfulnessLabel,
    FaithfulnessVerdict,
    PassageRelevance,
    RelevanceVerdict,
    SentenceFaithfulness,
)
from intrinsics.certainty.base import AnswerEvidence
from tests.conformance.reading_cases import PASSAGES

QUESTION = "At which voltage does the P-200 run?"
MADE = Provenance(implementation="test")


def make_evidence(
    answer: str,
    *sentences: tuple[FaithfulnessLabel, float],
    passages: Sequence[Passage] = PASSAGES,
    answerability: float = 0.97,
    relevance: float = 0.97,
) -> AnswerEvidence:
    """Make the evidence of ``answer``, whose sentences have these labels and probabilities."""
    return AnswerEvidence(
        question=QUESTION,
        answer=answer,
        passages=tuple(passages),
        answerability=answerability,
        faithfulness=FaithfulnessVerdict(
            sentences=tuple(SentenceFaithfulness(label=label, probability=p) for label, p in sentences), provenance=MADE
        ),
        relevance=RelevanceVerdict(
            passages=tuple(PassageRelevance(label="relevant", probability=relevance / (n + 1)) for n in range(3)),
            provenance=MADE,
        ),
    )
