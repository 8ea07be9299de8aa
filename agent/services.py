"""The services that the graph uses: judges, tools and the policy."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from agent.policy import Policy
from contracts.search import Groups
from contracts.text import Chunk, Document
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import AnswerWriter
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.certainty.base import CertaintyEstimator
from intrinsics.citation.base import CitationFinder
from intrinsics.combined.base import AnswerChecker, PassageJudge, QuestionReader
from intrinsics.context_classification.base import ContextClassifier
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.jargon_identification.base import JargonIdentifier
from intrinsics.passage_reranking.base import PassageReranker
from intrinsics.query_expansion.base import QueryExpander
from intrinsics.question_augmentation.base import QuestionAugmenter
from intrinsics.question_rewriting.base import QuestionRewriter
from intrinsics.refinement.base import AnswerRefiner
from tools.chat.question_time import QuestionTime
from tools.embedding.base import Embedder
from tools.jargon.base import JargonDictionary
from tools.reading.ranking import QuoteRanker
from tools.search.base import LexicalIndex, PassageSearcher


class DocumentReader(Protocol):
    """Reads stored documents. The calls block."""

    def documents(self, *, groups: Groups = None) -> tuple[Document, ...]:
        """Return the documents of ``groups`` (None: all), by name."""

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return all chunks of a document, sorted by kind and then by position."""


# Returns up to four example questions that the bot can answer from the documents of these groups.
ExampleQuestions = Callable[[Groups], Awaitable[tuple[str, ...]]]


async def no_examples(groups: Groups) -> tuple[str, ...]:
    """Return no examples."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Services:
    """One implementation of each Protocol, created in the wiring; nodes access them as ``runtime.context``.

    ``embedded`` contains the services without a language model that are used as a fallback, or None. ``llm_time`` is
    the time left to language models for a question. ``question_reader``, ``passage_judge`` and
    ``answer_checker`` make several judgements in one call. If one of them is None or omits a judgement, a separate
    judge makes it.
    """

    question_rewriter: QuestionRewriter
    jargon_identifier: JargonIdentifier
    context_classifier: ContextClassifier
    question_augmenter: QuestionAugmenter
    query_expander: QueryExpander
    relevance_judge: RelevanceJudge
    passage_reranker: PassageReranker
    answerability_judge: AnswerabilityJudge
    answer_writer: AnswerWriter
    citation_finder: CitationFinder
    faithfulness_judge: FaithfulnessJudge
    refiner: AnswerRefiner
    certainty_estimator: CertaintyEstimator
    searcher: PassageSearcher
    dictionary: JargonDictionary
    lexical: LexicalIndex
    embedder: Embedder
    quote_ranker: QuoteRanker
    question_reader: QuestionReader | None = None
    passage_judge: PassageJudge | None = None
    answer_checker: AnswerChecker | None = None
    library: DocumentReader | None = None
    example_questions: ExampleQuestions = no_examples
    policy: Policy = field(default_factory=Policy)
    embedded: "Services | None" = None
    llm_time: QuestionTime = field(default_factory=QuestionTime)

    def judges_of(self, draft: Draft) -> "Services":
        """Return the judges for ``draft``: the embedded ones if the embedded engine wrote it as a fallback."""
        return self.embedded if self.embedded is not None and draft.provenance.degraded else self
