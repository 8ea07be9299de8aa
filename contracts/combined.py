"""What several judgements return that a language model makes in one call; None: that judgement was not made."""

from pydantic import BaseModel

from contracts.provenance import Provenance
from contracts.question import RewrittenQuestion
from contracts.verdicts import (
    AnswerabilityVerdict,
    CitationVerdict,
    ContextVerdict,
    FaithfulnessVerdict,
    IdentifiedJargon,
    PassageRelevance,
)


class UnderstoodQuestion(BaseModel, frozen=True):
    """A question that stands alone, with its jargon (places in ``rewritten.text``) and context."""

    provenance: Provenance
    rewritten: RewrittenQuestion | None = None
    jargon: IdentifiedJargon | None = None
    contexts: ContextVerdict | None = None


class JudgedPassages(BaseModel, frozen=True):
    """``order`` holds the passages' indexes, most useful first; ``relevance`` is in the order they were given in."""

    provenance: Provenance
    order: tuple[int, ...] | None = None
    relevance: tuple[PassageRelevance, ...] | None = None
    answerability: AnswerabilityVerdict | None = None


class CheckedSentences(BaseModel, frozen=True):
    """Sources of an answer's sentences, and whether each is held."""

    provenance: Provenance
    citations: CitationVerdict | None = None
    faithfulness: FaithfulnessVerdict | None = None
