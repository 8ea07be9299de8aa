"""The ingestion pipeline: reading, summaries, terms and vectors of documents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.judgements import build_miner, build_summariser
from golden_retriever.wiring.ocr import build_ocr

if TYPE_CHECKING:
    from contracts.jargon import MinedTerm
    from ingestion.pipeline import IngestionPipeline
    from ingestion.workers.pool import ReaderPool
    from jargon_db.store import JargonStore
    from library.store import LibraryStore
    from tools.chat import ChatModel
    from tools.embedding import Embedder


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
