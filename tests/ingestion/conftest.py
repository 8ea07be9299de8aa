"""What the tests of the pipeline are made of: a real library in SQLite, embedding by hashing, the embedded judges."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contracts.jargon import MinedTerm
from database.connection import open_database
from database.migrating import migrate
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.embedding.hashing import HashingEmbedder


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    engine = open_database(f"sqlite:///{tmp_path / 'library.db'}")
    migrate(engine, LIBRARY)
    return LibraryStore(engine)


@pytest.fixture
def make_pipeline(store: LibraryStore) -> Callable[..., IngestionPipeline]:
    def make(
        *,
        limits: IngestionLimits | None = None,
        candidates: Callable[[Sequence[MinedTerm]], int] | None = None,
        workers: int = 1,
    ) -> IngestionPipeline:
        return IngestionPipeline(
            store=store,
            embedder=HashingEmbedder(),
            summariser=EmbeddedSummariser(HashingEmbedder()),
            miner=EmbeddedTermMiner(),
            ocr=None,
            candidates=candidates,
            limits=limits or IngestionLimits(),
            workers=workers,
        )

    return make
