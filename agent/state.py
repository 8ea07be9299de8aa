"""The state of one question in the graph."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, Any

from agent.draft_choice import CheckedDraft
from contracts.answer import Answer, RefinementRecord, Step
from contracts.jargon import Reading
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion, Choice, SensePick, Turn
from contracts.text import Passage
from contracts.verdicts import (
    AnswerabilityVerdict,
    CitationVerdict,
    ContextVerdict,
    Draft,
    FaithfulnessVerdict,
    IdentifiedJargon,
)

# Verdicts before any judgement: frozen values, so that all states can share them.
_NOBODY = Provenance(implementation="none")
_ANYONE = Asker()
_NO_JARGON = IdentifiedJargon(mentions=(), provenance=_NOBODY)
_NO_CONTEXT = ContextVerdict(contexts=(), none_of_these=1.0, provenance=_NOBODY)
_NOT_AUGMENTED = AugmentedQuestion(question="", text="", provenance=_NOBODY)
_NOT_ANSWERABLE = AnswerabilityVerdict(probability=0.0, missing=(), provenance=_NOBODY)
_NO_DRAFT = Draft(text="", provenance=_NOBODY)
_NO_CITATIONS = CitationVerdict(links=(), provenance=_NOBODY)
_NOT_CHECKED = FaithfulnessVerdict(sentences=(), provenance=_NOBODY)


@dataclass(frozen=True, kw_only=True)
class State:
    """What is known about a question so far. A field that no node has set yet contains an empty verdict.

    ``question`` is in the asker's own words; ``standalone`` is the question to be answered, without its ``choices``.
    If ``critique`` asks for a rewrite, the rewrite becomes the ``draft``; ``first_draft`` is checked too, and one of
    the two is kept. ``passages`` come from retrieval, best first; ``dictionary_passages`` are the entries of the chosen
    senses; ``evidence`` contains the passages of both kinds that are read for the answer. Each node adds to ``steps``,
    including nodes that run in parallel.
    """

    question: str = ""
    history: tuple[Turn, ...] = ()
    asker: Asker = _ANYONE
    picks: tuple[SensePick, ...] = ()
    standalone: str = ""
    choices: tuple[Choice, ...] = ()
    jargon: IdentifiedJargon = _NO_JARGON
    contexts: ContextVerdict = _NO_CONTEXT
    readings: tuple[Reading, ...] = ()
    augmented: AugmentedQuestion = _NOT_AUGMENTED
    variants: tuple[str, ...] = ()
    expansions: int = 0
    passages: tuple[Passage, ...] = ()
    dictionary_passages: tuple[Passage, ...] = ()
    evidence: tuple[Passage, ...] = ()
    answerability: AnswerabilityVerdict = _NOT_ANSWERABLE
    draft: Draft = _NO_DRAFT
    citations: CitationVerdict = _NO_CITATIONS
    faithfulness: FaithfulnessVerdict = _NOT_CHECKED
    critique: str = ""
    first_draft: Draft | None = None
    first_citations: CitationVerdict = _NO_CITATIONS
    first_faithfulness: FaithfulnessVerdict = _NOT_CHECKED
    refinement: RefinementRecord | None = None
    answer: Answer | None = None
    steps: Annotated[tuple[Step, ...], operator.add] = ()

    @property
    def passages_shown(self) -> tuple[Passage, ...]:
        """The evidence that was shown to the writer of the draft."""
        return self.shown_for(self.draft)

    def shown_for(self, draft: Draft) -> tuple[Passage, ...]:
        """Return the evidence shown to the writer of ``draft``; the draft is judged against no other evidence."""
        return self.evidence[: draft.passages_read]

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The drafts to be checked: the current draft and, if it is a rewrite, the first draft."""
        return (self.draft,) if self.first_draft is None else (self.draft, self.first_draft)

    @property
    def checked_draft(self) -> CheckedDraft:
        return CheckedDraft(draft=self.draft, citations=self.citations, faithfulness=self.faithfulness)


# The state fields that a node changes, with their new values.
Update = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The result of a node: the changed fields, a human-readable line that describes it, and who judged."""

    update: Update = field(default_factory=Update)
    finding: str = ""
    provenance: Provenance | None = None
