"""The return values of the judgements. Probabilities are in [0, 1]; the field names the event."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import BaseModel

from contracts.jargon import Context, Mention, MinedTerm
from contracts.provenance import Provenance
from contracts.question import RewrittenQuestion
from contracts.text import Passage, Span

RelevanceLabel = Literal["relevant", "partial", "irrelevant", "misleading"]
FaithfulnessLabel = Literal["faithful", "partial", "unfaithful", "no_claim"]


class IdentifiedJargon(BaseModel, frozen=True):
    """The terms of a question, in order, not overlapping."""

    mentions: tuple[Mention, ...]
    provenance: Provenance


class ContextProbability(BaseModel, frozen=True):
    """The probability that a question is asked in context ``name``."""

    name: str
    probability: float


class ContextVerdict(BaseModel, frozen=True):
    """A distribution over the contexts, most probable first; with ``none_of_these`` it sums to 1."""

    contexts: tuple[ContextProbability, ...]
    none_of_these: float
    provenance: Provenance

    @classmethod
    def of(cls, contexts: Sequence[Context], probabilities: Sequence[float], provenance: Provenance) -> Self:
        """Return the verdict with the probability of each of ``contexts``, followed by that of none of them."""
        *shares, none = probabilities
        named = zip((context.name for context in contexts), shares, strict=True)
        found = [ContextProbability(name=name, probability=share) for name, share in named]
        ranked = sorted(found, key=lambda each: (-each.probability, each.name))
        return cls(contexts=tuple(ranked), none_of_these=none, provenance=provenance)

    @property
    def best(self) -> str:
        """The most probable context's name, or "" if none of them is the most probable."""
        if self.contexts and self.contexts[0].probability > self.none_of_these:
            return self.contexts[0].name
        return ""

    def probability_of(self, name: str) -> float:
        """Return the probability of context ``name`` (0 for an unknown one)."""
        return next((each.probability for each in self.contexts if each.name == name), 0.0)


class QueryVariants(BaseModel, frozen=True):
    """Other wordings of a question, best first, without the question itself."""

    variants: tuple[str, ...]
    provenance: Provenance


class PassageRelevance(BaseModel, frozen=True):
    """The verdict on one passage; ``probability`` is that of "relevant or partly relevant"."""

    label: RelevanceLabel
    probability: float


class RelevanceVerdict(BaseModel, frozen=True):
    """One verdict per passage, in the order of the passages."""

    passages: tuple[PassageRelevance, ...]
    provenance: Provenance


class Reranked(BaseModel, frozen=True):
    """The passages in a better order, most useful first."""

    passages: tuple[Passage, ...]
    provenance: Provenance


class AnswerabilityVerdict(BaseModel, frozen=True):
    """``probability`` that passages contain the answer; ``missing`` names parts of the question that they lack."""

    probability: float
    missing: tuple[str, ...]
    provenance: Provenance


class ClaimedSource(BaseModel, frozen=True):
    """A writer's unverified claim that the text before ``position`` of its draft is based on passage ``passage``.

    ``sentence`` is the passage's sentence if the writer named one; all indexes start at 0.
    """

    position: int
    passage: int
    sentence: int | None = None


class Draft(BaseModel, frozen=True):
    """The whole text of an answer, without the writer's markers; the last item of a writer's stream.

    ``claims`` are the claims of these markers. ``passages_read`` is the number of leading passages that the writer was
    shown; None: all of them.
    """

    text: str
    provenance: Provenance
    claims: tuple[ClaimedSource, ...] = ()
    passages_read: int | None = None


class CitationLink(BaseModel, frozen=True):
    """Answer sentence ``sentence`` uses sentences ``passage_sentences`` of passage ``passage`` (all count from 0)."""

    sentence: int
    passage: int
    passage_sentences: tuple[int, ...]
    score: float


class CitationVerdict(BaseModel, frozen=True):
    """The links from answer sentences to passage sentences, by answer sentence, best first."""

    links: tuple[CitationLink, ...]
    provenance: Provenance


class SentenceFaithfulness(BaseModel, frozen=True):
    """The verdict on one answer sentence; ``probability`` is that of "faithful"; ``reason`` is text for people."""

    label: FaithfulnessLabel
    probability: float
    reason: str = ""


class FaithfulnessVerdict(BaseModel, frozen=True):
    """One verdict per answer sentence, in order."""

    sentences: tuple[SentenceFaithfulness, ...]
    provenance: Provenance


class RefinementVerdict(BaseModel, frozen=True):
    """Keep the draft, or rewrite it with ``critique`` (a template's text, never the model's own).

    ``signal`` is the value that decided (for S3 the share of the draft's content words found in the passages),
    ``signal_name`` what it measures, ``threshold`` what it was compared with, ``policy`` the name of the rule.
    ``reasons`` explain the decision in a line each; () if signal and threshold suffice.
    """

    rewrite: bool
    critique: str
    policy: str
    signal: float
    threshold: float
    provenance: Provenance
    signal_name: str = "S3"
    reasons: tuple[str, ...] = ()


class CertaintyVerdict(BaseModel, frozen=True):
    """``probability`` that the answer is right, in steps of 0.1."""

    probability: float
    provenance: Provenance


class Summary(BaseModel, frozen=True):
    """An expert's summary of a section, and the questions that the section answers, if the expert wrote any."""

    text: str
    questions: tuple[str, ...] = ()
    provenance: Provenance


class MinedTerms(BaseModel, frozen=True):
    """The terms that a text defines, best first."""

    terms: tuple[MinedTerm, ...]
    provenance: Provenance


class WrittenQuestion(BaseModel, frozen=True):
    """A question that a passage answers, and its short answer.

    ``answer`` is verbatim text of the passage at ``evidence``, with runs of white space as one space.
    """

    question: str
    answer: str
    evidence: Span


class WrittenQuestions(BaseModel, frozen=True):
    """Questions that a passage answers, best first, without duplicates; none if it states nothing to ask about."""

    questions: tuple[WrittenQuestion, ...]
    provenance: Provenance


class AnswerSentence(BaseModel, frozen=True):
    """A sentence of an answer at ``span`` of the answer's text."""

    text: str
    span: Span


class UnderstoodQuestion(BaseModel, frozen=True):
    """A standalone question, its jargon (spans in ``rewritten.text``) and context, from one call of a language model.

    Here and in the next two, None means that this judgement was not made.
    """

    provenance: Provenance
    rewritten: RewrittenQuestion | None = None
    jargon: IdentifiedJargon | None = None
    contexts: ContextVerdict | None = None


class JudgedPassages(BaseModel, frozen=True):
    """``order`` contains the passages' indexes, most useful first; ``relevance`` is in the order of the input."""

    provenance: Provenance
    order: tuple[int, ...] | None = None
    relevance: tuple[PassageRelevance, ...] | None = None
    answerability: AnswerabilityVerdict | None = None


class CheckedSentences(BaseModel, frozen=True):
    """Sources of an answer's sentences, and whether each is supported."""

    provenance: Provenance
    citations: CitationVerdict | None = None
    faithfulness: FaithfulnessVerdict | None = None
