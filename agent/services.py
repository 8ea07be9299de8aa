"""What the graph calls: every judgement, every tool, and the numbers by which it decides."""

from dataclasses import dataclass, field

from agent.foreseeing import SentenceForeseer
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
class Policy:
    """The numbers by which the graph decides.

    ``candidates`` passages are searched and reranked, of which ``top_k`` go on. Below ``answerability_threshold`` (a
    probability) nothing is written. ``unknown_jargon_threshold``: above which probability a term that nobody knows
    stops the question. ``always_read`` is how many of the best passages are read whatever the relevance verdict says:
    one wrong verdict must not hide the answer. Passages that use a term in another sense than the chosen one are left
    out where its probability is ``sure_sense_threshold`` or more. ``max_refinements`` is 1, or 0: a rewrite is never
    rewritten. ``history_turns`` is how many turns a question is read with.
    ``contact`` is whom the asker is sent to.
    """

    candidates: int = 30
    top_k: int = 10
    answerability_threshold: float = 0.5
    unknown_jargon_threshold: float = 0.5
    max_expansions: int = 1
    max_refinements: int = 1
    always_read: int = 3
    sure_sense_threshold: float = 0.9
    citations_per_sentence: int = 2
    nearest_documents: int = 3
    suggestions: int = 5
    history_turns: int = 12
    contact: str = "the knowledge base manager"

    def lets_through(self, answerability: float) -> bool:
        """Say whether a question of which the passages hold the answer this probably is answered."""
        return answerability >= self.answerability_threshold


@dataclass(frozen=True, kw_only=True)
class Services:
    """One implementation of each Protocol, made in the wiring; nodes reach them as ``runtime.context``.

    ``foreseers`` are those of the checks that can begin with a sentence while the writer goes on.
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
    policy: Policy = field(default_factory=Policy)
    foreseers: tuple[SentenceForeseer, ...] = ()
