"""The judgements: which implementation serves which capability, and what the graph calls."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from agent.policy import Policy
from agent.services import DocumentReader, ExampleQuestions, Services, no_examples
from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser, build_cross_encoder, build_ocr
from intrinsics.answer_generation.base import AnswerWriter
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.base import CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.citation.base import CitationFinder
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.combined.answer import PromptedAnswerChecker
from intrinsics.combined.base import (
    ANSWER_PARTS,
    PASSAGE_PARTS,
    QUESTION_PARTS,
    AnswerChecker,
    NoCombinedJudge,
    PassageJudge,
    QuestionReader,
)
from intrinsics.combined.passages import PromptedPassageJudge
from intrinsics.combined.question import PromptedQuestionReader
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.jargon_identification.dictionary_terms import KnownWords
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from intrinsics.question_augmentation.base import QuestionAugmenter
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from intrinsics.question_rewriting.base import QuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from intrinsics.question_writing.base import QuestionWriter
from intrinsics.question_writing.llm import PromptedQuestionWriter
from intrinsics.refinement.base import AnswerRefiner
from intrinsics.refinement.embedded import OverlapAnswerRefiner, stored_template
from intrinsics.summarisation.base import Summariser
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.summarisation.llm import PromptedSummariser
from intrinsics.term_mining.base import TermMiner
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from intrinsics.term_mining.llm import PromptedTermMiner
from tools.chat.base import ChatModel
from tools.embedding.base import Embedder
from tools.jargon.base import JargonDictionary
from tools.reading.ranking import QuoteRanker
from tools.search.base import LexicalIndex, PassageSearcher

if TYPE_CHECKING:
    from ingestion.pipeline import IngestionPipeline
    from ingestion.workers.pool import ReaderPool
    from jargon_db.store import JargonStore
    from library.store import LibraryStore


def build_rewriter(engines: EngineChooser) -> QuestionRewriter:
    """Return the rewriter that makes follow-ups stand alone."""
    embedded: QuestionRewriter = EmbeddedQuestionRewriter()
    return engines.choose("question_rewriting", embedded, adapted=AdaptedQuestionRewriter)


def _known_words(lexical: LexicalIndex) -> KnownWords:
    async def in_documents(word: str) -> bool:
        return await lexical.document_frequency(word) > 0

    return in_documents


def build_augmenter() -> QuestionAugmenter:
    """Return the augmenter that adds definitions to a question: a template, on every engine."""
    return TemplateQuestionAugmenter()


def build_relevance_judge(engines: EngineChooser, ranker: QuoteRanker) -> RelevanceJudge:
    """Return the judge of each passage's relevance."""
    embedded: RelevanceJudge = EmbeddedRelevanceJudge(ranker)
    return engines.choose("context_relevance", embedded, adapted=AdaptedRelevanceJudge)


def build_answerability_judge(engines: EngineChooser, ranker: QuoteRanker) -> AnswerabilityJudge:
    """Return the judge of whether the passages contain the answer."""
    embedded: AnswerabilityJudge = EmbeddedAnswerabilityJudge(ranker)
    return engines.choose("answerability", embedded, PromptedAnswerabilityJudge, adapted=AdaptedAnswerabilityJudge)


def build_writer(engines: EngineChooser, ranker: QuoteRanker) -> AnswerWriter:
    """Return the writer of answers."""
    embedded: AnswerWriter = EmbeddedAnswerWriter(ranker)
    return engines.choose("answer_generation", embedded, PromptedAnswerWriter)


def build_summariser(engines: EngineChooser, embedder: Embedder) -> Summariser:
    """Return the summariser of documents."""
    embedded: Summariser = EmbeddedSummariser(embedder)
    return engines.choose("summarisation", embedded, PromptedSummariser)


def build_question_writer(engines: EngineChooser) -> QuestionWriter:
    """Return the writer of questions that a passage answers.

    Raises:
        ConfigurationError: no language model is configured: nothing else writes questions.
    """
    prompted: Callable[[ChatModel], QuestionWriter] = PromptedQuestionWriter
    return engines.choose("question_writing", None, prompted)


def build_miner(engines: EngineChooser) -> TermMiner:
    """Return the miner of terms in documents."""
    embedded: TermMiner = EmbeddedTermMiner()
    return engines.choose("term_mining", embedded, PromptedTermMiner)


def build_citation_finder(engines: EngineChooser, embedder: Embedder) -> CitationFinder:
    """Return the finder that links an answer's sentences to passages."""
    embedded: CitationFinder = EmbeddedCitationFinder(embedder)
    return engines.choose("citation", embedded, adapted=AdaptedCitationFinder)


def build_faithfulness_judge(engines: EngineChooser, embedder: Embedder) -> FaithfulnessJudge:
    """Return the judge that checks an answer's sentences against passages."""
    embedded: FaithfulnessJudge = EmbeddedFaithfulnessJudge(embedder)
    return engines.choose("faithfulness", embedded, adapted=AdaptedFaithfulnessJudge)


def build_refiner(settings: Settings, engines: EngineChooser, chat: ChatModel | None) -> AnswerRefiner:
    """Return the refiner that decides whether a draft is rewritten: an extractive draft never is, because it consists
    of passages.
    """
    if chat is None or engines.engine_of("answer_generation") == "embedded":
        return OverlapAnswerRefiner("none")
    template, threshold = stored_template(), settings.refinement_threshold
    return OverlapAnswerRefiner(
        settings.refinement, template if threshold is None else replace(template, threshold=threshold)
    )


def build_certainty_estimator(engines: EngineChooser) -> CertaintyEstimator:
    """Return the estimator of how probably an answer is right."""
    embedded: CertaintyEstimator = EmbeddedCertaintyEstimator()
    return engines.choose("certainty", embedded, PromptedCertaintyEstimator, adapted=AdaptedCertaintyEstimator)


def build_services(
    settings: Settings,
    embedder: Embedder,
    searcher: PassageSearcher,
    lexical: LexicalIndex,
    dictionary: JargonDictionary,
    chat: ChatModel | None,
    *,
    library: DocumentReader | None = None,
    example_questions: ExampleQuestions = no_examples,
) -> Services:
    """Return the services that the graph calls; without ``library``, there is no information about whole documents."""
    engines = EngineChooser(settings, chat)
    ranker = QuoteRanker(build_cross_encoder(settings.cross_encoder))
    parts = (settings, embedder, searcher, lexical, dictionary)
    embedded = None
    if chat is not None and not engines.refuses:
        embedded = build_services(*parts, None, library=library, example_questions=example_questions)
    known_words = _known_words(lexical)
    read = partial(PromptedQuestionReader, dictionary=dictionary, known_words=known_words)
    question_reader: QuestionReader = NoCombinedJudge()
    passage_judge: PassageJudge = NoCombinedJudge()
    answer_checker: AnswerChecker = NoCombinedJudge()
    return Services(
        question_reader=engines.combine(QUESTION_PARTS, read, question_reader),
        passage_judge=engines.combine(PASSAGE_PARTS, PromptedPassageJudge, passage_judge),
        answer_checker=engines.combine(ANSWER_PARTS, PromptedAnswerChecker, answer_checker),
        question_rewriter=build_rewriter(engines),
        jargon_identifier=EmbeddedJargonIdentifier(dictionary, known_words=known_words),
        context_classifier=EmbeddedContextClassifier(embedder, dictionary),
        question_augmenter=build_augmenter(),
        query_expander=EmbeddedQueryExpander(dictionary),
        relevance_judge=build_relevance_judge(engines, ranker),
        passage_reranker=EmbeddedPassageReranker(ranker),
        answerability_judge=build_answerability_judge(engines, ranker),
        answer_writer=build_writer(engines, ranker),
        citation_finder=build_citation_finder(engines, embedder),
        faithfulness_judge=build_faithfulness_judge(engines, embedder),
        refiner=build_refiner(settings, engines, chat),
        certainty_estimator=build_certainty_estimator(engines),
        searcher=searcher,
        dictionary=dictionary,
        lexical=lexical,
        embedder=embedder,
        quote_ranker=ranker,
        library=library,
        example_questions=example_questions,
        policy=Policy(
            top_k=settings.top_k,
            answerability_threshold=settings.answerability_threshold,
            llm_timeout_s=settings.llm_question_timeout_s,
            contact=settings.contact,
        ),
        embedded=embedded,
    )


def build_pipeline(
    settings: Settings, store: "LibraryStore", jargon: "JargonStore", embedder: "Embedder", chat: "ChatModel | None"
) -> "IngestionPipeline":
    """Return the ingestion pipeline; mined terms become drafts in the dictionary."""
    from ingestion.limits import IngestionLimits
    from ingestion.pipeline import IngestionPipeline
    from tools.cores import usable_cores

    def open_on_ray() -> "ReaderPool":
        from ingestion.workers.cluster import RayReaderPool

        return RayReaderPool(settings.ray_address, limits, ocr, workers=settings.workers)

    limits = IngestionLimits()
    ocr = build_ocr(settings)
    engines = EngineChooser(settings, chat)
    return IngestionPipeline(
        store=store,
        embedder=embedder,
        summariser=build_summariser(engines, embedder) if settings.summaries else None,
        miner=build_miner(engines),
        ocr=ocr,
        candidates=jargon.add_candidates,
        forget=jargon.forget_document,
        limits=limits,
        workers=settings.workers or usable_cores(),
        open_readers=open_on_ray if settings.ingest_engine == "ray" else None,
    )
