"""The return values of the judges. Probabilities are in [0, 1]."""

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
    """The terms in a question, in order and without overlaps."""

    mentions: tuple[Mention, ...]
    provenance: Provenance


class ContextProbability(BaseModel, frozen=True):
    """The probability that a question was asked in context ``name``."""

    name: str
    probability: float


class ContextVerdict(BaseModel, frozen=True):
    """The probabilities of the contexts, highest first; together with ``none_of_these`` they sum to 1."""

    contexts: tuple[ContextProbability, ...]
    none_of_these: float
    provenance: Provenance

    @classmethod
    def of(cls, contexts: Sequence[Context], probabilities: Sequence[float], provenance: Provenance) -> Self:
        """Return a verdict; ``probabilities`` are those of ``contexts``, followed by that of "none of these"."""
        *shares, none = probabilities
        named = zip((context.name for context in contexts), shares, strict=True)
        found = [ContextProbability(name=name, probability=share) for name, share in named]
        ranked = sorted(found, key=lambda each: (-each.probability, each.name))
        return cls(contexts=tuple(ranked), none_of_these=none, provenance=provenance)

    @property
    def best(self) -> str:
        """The name of the most probable context, or "" if "none of these" is more probable."""
        if self.contexts and self.contexts[0].probability > self.none_of_these:
            return self.contexts[0].name
        return ""

    def probability_of(self, name: str) -> float:
        """Return the probability of context ``name`` (0 if it is unknown)."""
        return next((each.probability for each in self.contexts if each.name == name), 0.0)


class QueryVariants(BaseModel, frozen=True):
    """Alternative wordings of a question, best first, without the question itself."""

    variants: tuple[str, ...]
    provenance: Provenance


class PassageRelevance(BaseModel, frozen=True):
    """The verdict on one passage, and the ``probability`` that it is at least partly relevant."""

    label: RelevanceLabel
    probability: float


class RelevanceVerdict(BaseModel, frozen=True):
    """One verdict per passage, in the order of the passages."""

    passages: tuple[PassageRelevance, ...]
    provenance: Provenance


class Reranked(BaseModel, frozen=True):
    """The passages in their new order, most useful first."""

    passages: tuple[Passage, ...]
    provenance: Provenance


class AnswerabilityVerdict(BaseModel, frozen=True):
    """The probability that passages contain the answer; ``missing`` lists parts of the question they do not cover."""

    probability: float
    missing: tuple[str, ...]
    provenance: Provenance


class ClaimedSource(BaseModel, frozen=True):
    """A writer's unverified claim that the text before ``position`` of its draft is based on passage ``passage``.

    ``sentence`` is the sentence of the passage, if the writer named one; all indexes start at 0.
    """

    position: int
    passage: int
    sentence: int | None = None


class Draft(BaseModel, frozen=True):
    """The complete text of an answer, without the writer's markers; the last item in the writer's stream.

    ``claims`` are the sources that the markers named. ``passages_read`` is the number of passages, from the first on,
    that the writer was shown; None: all of them.
    """

    text: str
    provenance: Provenance
    claims: tuple[ClaimedSource, ...] = ()
    passages_read: int | None = None


class CitationLink(BaseModel, frozen=True):
    """A link from an answer sentence to the sentences of a passage that it is based on; all indexes start at 0."""

    sentence: int
    passage: int
    passage_sentences: tuple[int, ...]
    score: float


class CitationVerdict(BaseModel, frozen=True):
    """The links from answer sentences to passage sentences, sorted by answer sentence, best first."""

    links: tuple[CitationLink, ...]
    provenance: Provenance


class SentenceFaithfulness(BaseModel, frozen=True):
    """The verdict on one answer sentence, the ``probability`` that it is faithful, and a human-readable ``reason``."""

    label: FaithfulnessLabel
    probability: float
    reason: str = ""


class FaithfulnessVerdict(BaseModel, frozen=True):
    """One verdict per answer sentence, in order."""

    sentences: tuple[SentenceFaithfulness, ...]
    provenance: Provenance


class RefinementVerdict(BaseModel, frozen=True):
    """The decision to keep the draft, or to rewrite it with ``critique`` (from a template, not written by the model).

    The rule ``policy`` compared ``signal`` (for S3, the share of the draft's content words found in the passages) with
    ``threshold``; ``signal_name`` is what the signal measures. Each of ``reasons`` explains the decision in one line;
    it is () if the signal and the threshold explain it.
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
    """The probability that the answer is correct, in steps of 0.1."""

    probability: float
    provenance: Provenance


class Summary(BaseModel, frozen=True):
    """An expert summary of a section, and the questions that the section answers, if any were written."""

    text: str
    questions: tuple[str, ...] = ()
    provenance: Provenance


class MinedTerms(BaseModel, frozen=True):
    """The terms that a text defines, best first."""

    terms: tuple[MinedTerm, ...]
    provenance: Provenance


class WrittenQuestion(BaseModel, frozen=True):
    """A question that a passage answers, and its short answer.

    ``answer`` is copied from the passage at ``evidence``, with each run of white space replaced by one space.
    """

    question: str
    answer: str
    evidence: Span


class WrittenQuestions(BaseModel, frozen=True):
    """Questions that a passage answers, best first, without duplicates; empty if the passage states no facts."""

    questions: tuple[WrittenQuestion, ...]
    provenance: Provenance


class AnswerSentence(BaseModel, frozen=True):
    """A sentence of an answer at ``span`` of the answer's text."""

    text: str
    span: Span


class UnderstoodQuestion(BaseModel, frozen=True):
    """A standalone question, its jargon (spans in ``rewritten.text``) and context, from one call to a language model.

    None here and in the next two classes means that this judgement was not made.
    """

    provenance: Provenance
    rewritten: RewrittenQuestion | None = None
    jargon: IdentifiedJargon | None = None
    contexts: ContextVerdict | None = None


class JudgedPassages(BaseModel, frozen=True):
    """Verdicts from one call; ``order`` lists passage indexes, most useful first; ``relevance`` is in input order."""

    provenance: Provenance
    order: tuple[int, ...] | None = None
    relevance: tuple[PassageRelevance, ...] | None = None
    answerability: AnswerabilityVerdict | None = None


class CheckedSentences(BaseModel, frozen=True):
    """The sources of an answer's sentences and their faithfulness, from one call to a language model."""

    provenance: Provenance
    citations: CitationVerdict | None = None
    faithfulness: FaithfulnessVerdict | None = None
