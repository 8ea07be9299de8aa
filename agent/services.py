"""What the graph calls: every judgement, every tool, and the policy."""

from dataclasses import dataclass, field

from agent.policy import Policy
from intrinsics.answer_generation import AnswerWriter
from intrinsics.answerability import AnswerabilityJudge
from intrinsics.certainty import CertaintyEstimator
from intrinsics.citation import CitationFinder
from intrinsics.context_classification import ContextClassifier
from intrinsics.context_relevance import RelevanceJudge
from intrinsics.faithfulness import FaithfulnessJudge
from intrinsics.jargon_identification import JargonIdentifier
from intrinsics.passage_reranking import PassageReranker
from intrinsics.query_expansion import QueryExpander
from intrinsics.question_augmentation import QuestionAugmenter
from intrinsics.question_rewriting import QuestionRewriter
from intrinsics.refinement import AnswerRefiner
from tools.embedding.base import Embedder
from tools.jargon.base import JargonDictionary
from tools.search.base import LexicalIndex, PassageSearcher


@dataclass(frozen=True, kw_only=True)
class Services:
    """One implementation of each Protocol, made in the wiring; nodes reach them as ``runtime.context``."""

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
    policy: Policy = field(default_factory=Policy)
