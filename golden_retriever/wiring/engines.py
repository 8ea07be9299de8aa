"""The judgements: which implementation serves which capability."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.encoders import build_encoder
from golden_retriever.wiring.judgements.checks import (
    build_certainty_estimator,
    build_citation_finder,
    build_faithfulness_judge,
    build_refiner,
)
from golden_retriever.wiring.judgements.passages import (
    build_answerability_judge,
    build_relevance_judge,
    build_reranker,
)
from golden_retriever.wiring.judgements.questions import (
    build_augmenter,
    build_classifier,
    build_expander,
    build_identifier,
    build_rewriter,
)
from golden_retriever.wiring.judgements.writing import build_miner, build_summariser, build_writer
from golden_retriever.wiring.ocr import build_ocr

if TYPE_CHECKING:
    from agent.services import Services
    from contracts.jargon import MinedTerm
    from ingestion.pipeline import IngestionPipeline
    from ingestion.workers.pool import ReaderPool
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
    from agent.policy import Policy
    from agent.services import Services

    engines, encoder = EngineChooser(settings, chat), build_encoder(settings)
    return Services(
        question_rewriter=build_rewriter(engines),
        jargon_identifier=build_identifier(engines, dictionary, lexical, encoder),
        context_classifier=build_classifier(engines, embedder, dictionary),
        question_augmenter=build_augmenter(),
        query_expander=build_expander(engines, dictionary),
        relevance_judge=build_relevance_judge(engines, embedder, encoder),
        passage_reranker=build_reranker(engines, embedder),
        answerability_judge=build_answerability_judge(
            engines, embedder, encoder, threshold=settings.answerability_threshold
        ),
        answer_writer=build_writer(engines, embedder),
        citation_finder=build_citation_finder(engines, embedder),
        faithfulness_judge=build_faithfulness_judge(engines, embedder, encoder),
        refiner=build_refiner(settings, engines, chat),
        certainty_estimator=build_certainty_estimator(engines),
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


def build_pipeline(
    settings: Settings, store: "LibraryStore", jargon: "JargonStore", embedder: "Embedder", chat: "ChatModel | None"
) -> "IngestionPipeline":
    """Return the ingestion pipeline; mined terms become drafts in the dictionary."""
    from ingestion.limits import IngestionLimits
    from ingestion.pipeline import IngestionPipeline
    from tools.cores import usable_cores

    def offer(mined: "Sequence[MinedTerm]") -> int:
        return jargon.add_candidates(mined)

    def open_on_ray() -> "ReaderPool":
        from ingestion.workers.cluster import RayReaderPool

        return RayReaderPool(settings.ray_address, limits, ocr, workers=settings.workers)

    limits = IngestionLimits(scan_dpi=settings.ocr_dpi)
    ocr = build_ocr(settings)
    engines = EngineChooser(settings, chat)
    return IngestionPipeline(
        store=store,
        embedder=embedder,
        summariser=build_summariser(engines, embedder) if settings.summaries else None,
        miner=build_miner(engines),
        ocr=ocr,
        candidates=offer,
        forget=jargon.forget_document,
        limits=limits,
        workers=settings.workers or usable_cores(),
        open_readers=open_on_ray if settings.ingest_engine == "ray" else None,
        least_confidence=settings.ocr_least_confidence,
    )
