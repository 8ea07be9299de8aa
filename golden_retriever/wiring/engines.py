"""The judgements: which implementation serves which capability."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.ocr import build_ocr

if TYPE_CHECKING:
    from agent.services import Services
    from contracts.jargon import MinedTerm
    from ingestion.pipeline import IngestionPipeline
    from ingestion.reading import ReaderPool
    from intrinsics.answer_generation import AnswerWriter
    from intrinsics.question_writing import QuestionWriter
    from intrinsics.summarisation import Summariser
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat import ChatModel
    from tools.embedding import Embedder
    from tools.jargon import JargonDictionary
    from tools.search import LexicalIndex, PassageSearcher


def build_services(
    settings: Settings,
    embedder: "Embedder",
    searcher: "PassageSearcher",
    lexical: "LexicalIndex",
    dictionary: "JargonDictionary",
    chat: "ChatModel | None",
) -> "Services":
    """Return what the graph calls."""
    from agent.services import Policy, Services
    from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
    from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
    from intrinsics.citation.embedded import EmbeddedCitationFinder
    from intrinsics.context_classification.embedded import EmbeddedContextClassifier
    from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
    from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
    from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
    from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
    from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
    from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
    from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
    from intrinsics.refinement.embedded import OverlapAnswerRefiner

    async def in_documents(word: str) -> bool:
        return await lexical.document_frequency(word) > 0

    return Services(
        question_rewriter=EmbeddedQuestionRewriter(),
        jargon_identifier=EmbeddedJargonIdentifier(dictionary, known_words=in_documents),
        context_classifier=EmbeddedContextClassifier(embedder, dictionary),
        question_augmenter=TemplateQuestionAugmenter(),
        query_expander=EmbeddedQueryExpander(dictionary),
        relevance_judge=EmbeddedRelevanceJudge(embedder),
        passage_reranker=EmbeddedPassageReranker(embedder),
        answerability_judge=EmbeddedAnswerabilityJudge(embedder),
        answer_writer=build_writer(settings, embedder, chat),
        citation_finder=EmbeddedCitationFinder(embedder),
        faithfulness_judge=EmbeddedFaithfulnessJudge(embedder),
        refiner=OverlapAnswerRefiner("overlap" if chat is not None else "none"),
        certainty_estimator=EmbeddedCertaintyEstimator(),
        searcher=searcher,
        dictionary=dictionary,
        lexical=lexical,
        embedder=embedder,
        policy=Policy(
            candidates=settings.candidates,
            top_k=settings.top_k,
            answerability_threshold=settings.answerability_threshold,
            contact=settings.contact,
        ),
    )


def build_writer(settings: Settings, embedder: "Embedder", chat: "ChatModel | None") -> "AnswerWriter":
    """Return the writer: an LLM that degrades to the extractive one, or the extractive one alone."""
    from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter

    embedded: AnswerWriter = EmbeddedAnswerWriter(embedder)
    if chat is None:
        return embedded
    from intrinsics.answer_generation.llm import PromptedAnswerWriter
    from tools.degrading import degrading

    return degrading(PromptedAnswerWriter(chat), embedded, refuse=settings.degrade == "refuse")


def build_summariser(settings: Settings, embedder: "Embedder", chat: "ChatModel | None") -> "Summariser":
    """Return the summariser: an LLM that degrades to the extractive one, or the extractive one alone."""
    from intrinsics.summarisation.embedded import EmbeddedSummariser

    embedded: Summariser = EmbeddedSummariser(embedder)
    if chat is None:
        return embedded
    from intrinsics.summarisation.llm import PromptedSummariser
    from tools.degrading import degrading

    return degrading(PromptedSummariser(chat), embedded, refuse=settings.degrade == "refuse")


def build_question_writer(settings: Settings, chat: "ChatModel | None") -> "QuestionWriter":
    """Return the writer of questions: an LLM that degrades to the one by templates, or that one alone."""
    from intrinsics.question_writing.embedded import EmbeddedQuestionWriter

    embedded: QuestionWriter = EmbeddedQuestionWriter()
    if chat is None:
        return embedded
    from intrinsics.question_writing.llm import PromptedQuestionWriter
    from tools.degrading import degrading

    return degrading(PromptedQuestionWriter(chat), embedded, refuse=settings.degrade == "refuse")


def build_pipeline(
    settings: Settings, store: "LibraryStore", jargon: "JargonStore", embedder: "Embedder", chat: "ChatModel | None"
) -> "IngestionPipeline":
    """Return the ingestion pipeline; mined terms become drafts in the dictionary."""
    from ingestion.limits import IngestionLimits
    from ingestion.pipeline import IngestionPipeline
    from intrinsics.term_mining.embedded import EmbeddedTermMiner

    def offer(mined: "Sequence[MinedTerm]") -> int:
        return jargon.add_candidates(mined)

    def open_on_ray() -> "ReaderPool":
        from ingestion.ray_workers import RayReaderPool

        return RayReaderPool(settings.ray_address, limits, ocr, workers=settings.workers)

    limits = IngestionLimits(scan_dpi=settings.ocr_dpi)
    ocr = build_ocr(settings)
    return IngestionPipeline(
        store=store,
        embedder=embedder,
        summariser=build_summariser(settings, embedder, chat) if settings.summaries else None,
        miner=EmbeddedTermMiner(),
        ocr=ocr,
        candidates=offer,
        forget=jargon.forget_document,
        limits=limits,
        workers=settings.workers or os.cpu_count() or 1,
        open_readers=open_on_ray if settings.ingest_engine == "ray" else None,
        least_confidence=settings.ocr_least_confidence,
    )
