"""What the tests of the pipeline are made of: a real library in SQLite, embedding by hashing, the embedded judges."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contracts.jargon import MinedTerm
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from ingestion.workers.pool import ReaderPool
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Embedder


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    engine = open_new_sqlite(tmp_path / "library.db", LIBRARY)
    return LibraryStore(engine)


@pytest.fixture
def make_pipeline(store: LibraryStore) -> Callable[..., IngestionPipeline]:
    def make(
        *,
        limits: IngestionLimits | None = None,
        candidates: Callable[[Sequence[MinedTerm]], int] | None = None,
        forget: Callable[[str], int] | None = None,
        open_readers: Callable[[], ReaderPool] | None = None,
        embedder: Embedder | None = None,
        workers: int = 1,
        summaries: bool = True,
    ) -> IngestionPipeline:
        return IngestionPipeline(
            store=store,
            embedder=embedder or HashingEmbedder(),
            summariser=EmbeddedSummariser(HashingEmbedder()) if summaries else None,
            miner=EmbeddedTermMiner(),
            ocr=None,
            candidates=candidates,
            limits=limits or IngestionLimits(),
            workers=workers,
            forget=forget,
            open_readers=open_readers,
        )

    return make
