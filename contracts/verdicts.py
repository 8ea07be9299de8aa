"""What each judgement returns. Probabilities lie in [0, 1] and are those of the event that the field names."""

from dataclasses import dataclass
from typing import Literal

from contracts.jargon import Mention, MinedTerm
from contracts.provenance import Provenance
from contracts.text import Passage, Span

RelevanceLabel = Literal["relevant", "partial", "irrelevant", "misleading"]
FaithfulnessLabel = Literal["faithful", "partial", "unfaithful", "no_claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedJargon:
    """The terms of a question, in order, not overlapping."""

    mentions: tuple[Mention, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextProbability:
    """The probability that a question is asked in context ``name``."""

    name: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextVerdict:
    """A distribution over the contexts, most probable first; with ``none_of_these`` it sums to 1."""

    contexts: tuple[ContextProbability, ...]
    none_of_these: float
    provenance: Provenance

    @property
    def best(self) -> str:
        """The most probable context's name, or "" where none of them is more probable than that."""
        if self.contexts and self.contexts[0].probability > self.none_of_these:
            return self.contexts[0].name
        return ""

    def probability_of(self, name: str) -> float:
        """Return the probability of context ``name`` (0 for an unknown one)."""
        return next((each.probability for each in self.contexts if each.name == name), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVariants:
    """Other wordings of a question, best first, the question itself not among them."""

    variants: tuple[str, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRelevance:
    """The verdict on one passage; ``probability`` is that of "relevant or partly relevant"."""

    label: RelevanceLabel
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceVerdict:
    """One verdict a passage, in the order of the passages."""

    passages: tuple[PassageRelevance, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """The passages in a better order, most useful first."""

    passages: tuple[Passage, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityVerdict:
    """``probability`` that the passages hold the answer; ``missing`` names what of the question they do not mention."""

    probability: float
    missing: tuple[str, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedSource:
    """A writer's word that what stands before ``position`` of its draft rests on passage ``passage``; proves nothing.

    ``sentence`` is the passage's sentence where the writer named one; all count from 0.
    """

    position: int
    passage: int
    sentence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer's whole text as it was written, without marks of the writer's own; the end of a writer's stream.

    ``claims`` are what these marks said. ``passages_read`` is how many of the passages, the first ones, the writer was
    shown; None: all of them.
    """

    text: str
    provenance: Provenance
    claims: tuple[ClaimedSource, ...] = ()
    passages_read: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationLink:
    """Answer sentence ``sentence`` rests on sentences ``passage_sentences`` of passage ``passage`` (indexes from 0)."""

    sentence: int
    passage: int
    passage_sentences: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationVerdict:
    """The links from answer sentences to passage sentences, by answer sentence, best first."""

    links: tuple[CitationLink, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFaithfulness:
    """The verdict on one answer sentence; ``probability`` is that of "faithful"; ``reason`` in words for people."""

    label: FaithfulnessLabel
    probability: float
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessVerdict:
    """One verdict an answer sentence, in their order."""

    sentences: tuple[SentenceFaithfulness, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementVerdict:
    """Keep the draft, or write it again under ``critique`` (a template's text, never the model's own).

    ``signal`` is the value that decided (for S3 the share of the draft's content words found in the passages),
    ``signal_name`` what it measures, ``threshold`` what it was held against, ``policy`` the name of the rule.
    ``reasons`` say in a line each why the rule decided so; () where signal and threshold say it all.
    """

    rewrite: bool
    critique: str
    policy: str
    signal: float
    threshold: float
    provenance: Provenance
    signal_name: str = "S3"
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CertaintyVerdict:
    """``probability`` that the answer is right, in steps of 0.1."""

    probability: float
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """An expert's summary of a section and the questions that the section answers."""

    text: str
    questions: tuple[str, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedTerms:
    """The terms that a text defines, best first."""

    terms: tuple[MinedTerm, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenQuestion:
    """A question that a passage answers, and its short answer.

    ``answer`` is a verbatim piece of the passage, at ``evidence`` of its text; runs of white space are one space in it.
    """

    question: str
    answer: str
    evidence: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenQuestions:
    """Questions that a passage answers, best first, no two alike; none where it states nothing to ask about."""

    questions: tuple[WrittenQuestion, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """A sentence of an answer at ``span`` of the answer's text."""

    text: str
    span: Span
