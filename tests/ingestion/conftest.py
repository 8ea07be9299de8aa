"""What the tests of the pipeline are made of: a real library in SQLite, embedding by hashing, the embedded judges."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    engine = open_new_sqlite(tmp_path / "library.db", LIBRARY)
    return LibraryStore(engine)


@pytest.fixture
def make_pipeline(store: LibraryStore) -> Callable[..., IngestionPipeline]:
    def make(*, summaries: bool = True, **options: Any) -> IngestionPipeline:
        parts: dict[str, Any] = {
            "store": store,
            "embedder": HashingEmbedder(),
            "summariser": EmbeddedSummariser(HashingEmbedder()) if summaries else None,
            "miner": EmbeddedTermMiner(),
            "ocr": None,
            "candidates": None,
            "limits": IngestionLimits(),
            "workers": 1,
        }
        return IngestionPipeline(**{**parts, **options})

    return make
