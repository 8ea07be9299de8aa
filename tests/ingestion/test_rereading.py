"""The same file read otherwise than before: a derived index must not keep the vectors of the former texts."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contracts.text import Block, Page
from ingestion.pipeline import IngestionPipeline
from ingestion.workers.pool import HearPages, ReaderPool
from ingestion.workers.tasks import ReadFile
from library.store import LibraryStore
from tools.embedding.hashing import HashingEmbedder
from tools.search.chroma import ChromaVectorIndex

FIRST = ("The winch is greased every 12 days.", "The hatch opens at noon, and closes at night.")
SECOND = ("The w1nch 1s gr3ased.", FIRST[1])


class FixedReader(ReaderPool):
    """Reads the same paragraphs from whatever file."""

    workers = 1

    def __init__(self, paragraphs: Sequence[str]) -> None:
        blocks = tuple(Block(kind="paragraph", text=f"{each} " * 60) for each in paragraphs)
        self._page = Page(number=1, width_pt=595.0, height_pt=842.0, blocks=blocks)

    async def read(self, path: Path, hear: HearPages | None = None, *, task_s: float = math.inf) -> ReadFile:
        return ReadFile((self._page,), "", "text/plain")

    def close(self) -> None:
        """Nothing is open."""


async def test_an_index_holds_the_vectors_of_the_latest_reading(
    make_pipeline: Callable[..., IngestionPipeline], store: LibraryStore, tmp_path: Path
) -> None:
    file = tmp_path / "scan.txt"
    file.write_text("the same content all the time")
    index = ChromaVectorIndex(tmp_path / "chroma", store, HashingEmbedder().name)
    ids: list[set[str]] = []
    # Without summaries, then with them: another recipe, for which every file is read again.
    for paragraphs, summaries in ((FIRST, False), (SECOND, True), (FIRST, False)):
        pipeline = make_pipeline(open_readers=lambda texts=paragraphs: FixedReader(texts), summaries=summaries)
        assert (await pipeline.ingest([file])).count("ingested") == 1
        await index.synchronise()
        searched = store.searchable_ids(embedder=HashingEmbedder().name)
        for chunk_id, vector in zip(searched, store.vectors(searched), strict=True):
            found = {hit.chunk_id: hit.score for hit in index.find(vector, len(searched))}
            assert found[chunk_id] == pytest.approx(1.0, abs=1e-4), store.chunks([chunk_id])[chunk_id].text
        (document,) = store.documents()
        ids.append({chunk.id for chunk in store.document_chunks(document.id)})
    await index.close()
    assert ids[0] == ids[2]
    assert len(ids[0] & ids[1]) < len(ids[0])
