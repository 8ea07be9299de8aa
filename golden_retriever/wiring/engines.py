"""The judgements: which implementation serves which capability."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.judgements import (
    build_classifier,
    build_expander,
    build_identifier,
    build_miner,
    build_rewriter,
)
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
    from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
    from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
    from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
    from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
    from intrinsics.refinement.embedded import OverlapAnswerRefiner

    chooser = EngineChooser(settings, chat)
    return Services(
        question_rewriter=build_rewriter(chooser),
        jargon_identifier=build_identifier(chooser, dictionary, lexical),
        context_classifier=build_classifier(chooser, embedder, dictionary),
        question_augmenter=TemplateQuestionAugmenter(),
        query_expander=build_expander(chooser, dictionary),
        relevance_judge=EmbeddedRelevanceJudge(embedder),
        passage_reranker=EmbeddedPassageReranker(embedder),
        answerability_judge=EmbeddedAnswerabilityJudge(embedder),
        answer_writer=build_writer(settings, embedder, chat),
        citation_finder=EmbeddedCitationFinder(embedder),
        faithfulness_judge=EmbeddedFaithfulnessJudge(embedder),
        refiner=OverlapAnswerRefiner("overlap" if chooser.engine_of("answer_generation") == "llm" else "none"),
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
    from intrinsics.answer_generation.llm import PromptedAnswerWriter

    embedded: AnswerWriter = EmbeddedAnswerWriter(embedder)
    return EngineChooser(settings, chat).choose("answer_generation", embedded, PromptedAnswerWriter)


def build_summariser(settings: Settings, embedder: "Embedder", chat: "ChatModel | None") -> "Summariser":
    """Return the summariser: an LLM that degrades to the extractive one, or the extractive one alone."""
    from intrinsics.summarisation.embedded import EmbeddedSummariser
    from intrinsics.summarisation.llm import PromptedSummariser

    embedded: Summariser = EmbeddedSummariser(embedder)
    return EngineChooser(settings, chat).choose("summarisation", embedded, PromptedSummariser)


def build_question_writer(settings: Settings, chat: "ChatModel | None") -> "QuestionWriter":
    """Return the writer of questions: an LLM that degrades to the one by templates, or that one alone."""
    from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
    from intrinsics.question_writing.llm import PromptedQuestionWriter

    embedded: QuestionWriter = EmbeddedQuestionWriter()
    return EngineChooser(settings, chat).choose("question_writing", embedded, PromptedQuestionWriter)


def build_pipeline(
    settings: Settings, store: "LibraryStore", jargon: "JargonStore", embedder: "Embedder", chat: "ChatModel | None"
) -> "IngestionPipeline":
    """Return the ingestion pipeline; mined terms become drafts in the dictionary."""
    from ingestion.limits import IngestionLimits
    from ingestion.pipeline import IngestionPipeline

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
        miner=build_miner(EngineChooser(settings, chat)),
        ocr=ocr,
        candidates=offer,
        forget=jargon.forget_document,
        limits=limits,
        workers=settings.workers or os.cpu_count() or 1,
        open_readers=open_on_ray if settings.ingest_engine == "ray" else None,
        least_confidence=settings.ocr_least_confidence,
    )
