"""The judgements: which implementation serves which capability, and the services that the graph calls."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from agent.policy import Policy
from agent.services import DocumentReader, ExampleQuestions, Services, no_examples
from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser, build_cross_encoder, build_ocr
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.adapter import AdaptedCitationFinder
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
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.jargon_identification.dictionary_terms import KnownWords
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from intrinsics.question_writing.llm import PromptedQuestionWriter
from intrinsics.refinement.base import AnswerRefiner
from intrinsics.refinement.embedded import OverlapAnswerRefiner, stored_template
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.summarisation.llm import PromptedSummariser
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


def build_judge(
    intrinsic: str, engines: EngineChooser, embedder: Embedder | None = None, ranker: QuoteRanker | None = None
) -> Any:
    """Return the judge for ``intrinsic``, on the engine that is chosen for it.

    Judges that compare meanings need ``embedder``; those that read passages need ``ranker``.

    Raises:
        ConfigurationError: the intrinsic needs a language model and there is none, or it cannot run on its adapter.
    """
    near: Any = embedder
    reads: Any = ranker
    judges: dict[str, tuple[Callable[[], Any] | None, Callable[..., Any] | None, Callable[..., Any] | None]] = {
        "question_rewriting": (EmbeddedQuestionRewriter, None, AdaptedQuestionRewriter),
        "context_relevance": (partial(EmbeddedRelevanceJudge, reads), None, AdaptedRelevanceJudge),
        "answerability": (
            partial(EmbeddedAnswerabilityJudge, reads),
            PromptedAnswerabilityJudge,
            AdaptedAnswerabilityJudge,
        ),
        "answer_generation": (partial(EmbeddedAnswerWriter, reads), PromptedAnswerWriter, None),
        "citation": (partial(EmbeddedCitationFinder, near), None, AdaptedCitationFinder),
        "faithfulness": (partial(EmbeddedFaithfulnessJudge, near), None, AdaptedFaithfulnessJudge),
        "certainty": (EmbeddedCertaintyEstimator, PromptedCertaintyEstimator, AdaptedCertaintyEstimator),
        "summarisation": (partial(EmbeddedSummariser, near), PromptedSummariser, None),
        "term_mining": (EmbeddedTermMiner, PromptedTermMiner, None),
        "question_writing": (None, PromptedQuestionWriter, None),
    }
    embedded, prompted, adapted = judges[intrinsic]
    return engines.choose(intrinsic, embedded and embedded(), prompted, adapted=adapted)


def _known_words(lexical: LexicalIndex) -> KnownWords:
    async def in_documents(word: str) -> bool:
        return await asyncio.to_thread(lexical.document_frequency, word) > 0

    return in_documents


def build_refiner(settings: Settings, engines: EngineChooser, chat: ChatModel | None) -> AnswerRefiner:
    """Return the refiner; an extractive draft is never rewritten, because it consists of passages."""
    if chat is None or engines.engine_of("answer_generation") == "embedded":
        return OverlapAnswerRefiner("none")
    template, threshold = stored_template(), settings.refinement_threshold
    return OverlapAnswerRefiner(
        settings.refinement, template if threshold is None else replace(template, threshold=threshold)
    )


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
    judge = partial(build_judge, engines=engines, embedder=embedder, ranker=ranker)
    return Services(
        question_reader=engines.combine(QUESTION_PARTS, read, question_reader),
        passage_judge=engines.combine(PASSAGE_PARTS, PromptedPassageJudge, passage_judge),
        answer_checker=engines.combine(ANSWER_PARTS, PromptedAnswerChecker, answer_checker),
        question_rewriter=judge("question_rewriting"),
        jargon_identifier=EmbeddedJargonIdentifier(dictionary, known_words=known_words),
        context_classifier=EmbeddedContextClassifier(embedder, dictionary),
        question_augmenter=TemplateQuestionAugmenter(),
        query_expander=EmbeddedQueryExpander(),
        relevance_judge=judge("context_relevance"),
        passage_reranker=EmbeddedPassageReranker(ranker),
        answerability_judge=judge("answerability"),
        answer_writer=judge("answer_generation"),
        citation_finder=judge("citation"),
        faithfulness_judge=judge("faithfulness"),
        refiner=build_refiner(settings, engines, chat),
        certainty_estimator=judge("certainty"),
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

        return RayReaderPool(os.environ.get("RAY_ADDRESS", ""), limits, ocr, workers=settings.workers)

    limits = IngestionLimits()
    ocr = build_ocr(settings)
    engines = EngineChooser(settings, chat)
    return IngestionPipeline(
        store=store,
        embedder=embedder,
        summariser=build_judge("summarisation", engines, embedder) if settings.summaries else None,
        miner=build_judge("term_mining", engines),
        ocr=ocr,
        candidates=jargon.add_candidates,
        forget=jargon.forget_document,
        limits=limits,
        workers=settings.workers or usable_cores(),
        open_readers=open_on_ray if settings.ingest_engine == "ray" else None,
    )
