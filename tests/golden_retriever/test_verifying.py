"""The vector indexes on disk, held against SQL: what is broken by hand is found, and made again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from golden_retriever.settings import Settings
from golden_retriever.wiring import open_library
from golden_retriever.wiring.indexes import chroma_folder, rebuild_indexes
from golden_retriever.wiring.library_checks import verify_indexes
from library.store import LibraryStore
from tests.library.samples import chunk_of, document_of
from tools.search.chroma import ChromaVectorIndex

MODEL = "test-model"


def fill(store: LibraryStore) -> None:
    for name in "ab":
        document = document_of(f"{name}.txt")
        chunks = [chunk_of(document, "passage", number, f"pump {name} {number}") for number in range(3)]
        vectors = np.random.default_rng(ord(name)).normal(size=(3, 4)).astype(np.float32)
        store.replace_document(document, chunks, vectors, embedder=MODEL)


async def verified(settings: Settings) -> list[str]:
    with open_library(settings) as store:
        return await verify_indexes(settings, store, MODEL)


def too_many(collection: Any, chunk: str) -> None:
    collection.add(ids=["ghost"], embeddings=[[1.0, 0.0, 0.0, 0.0]], metadatas=[{"group": "everyone"}])


def too_few(collection: Any, chunk: str) -> None:
    collection.delete(ids=[chunk])


def wrong_group(collection: Any, chunk: str) -> None:
    collection.update(ids=[chunk], metadatas=[{"group": "board"}])


@pytest.mark.parametrize("break_it", [too_many, too_few, wrong_group])
async def test_each_fault_in_chroma_is_found_and_mended(tmp_path: Path, break_it: Callable[[Any, str], None]) -> None:
    import chromadb

    settings = Settings(data_dir=tmp_path)
    with open_library(settings) as store:
        fill(store)
        index = ChromaVectorIndex(chroma_folder(settings), store, MODEL)
        await index.synchronise()
        await index.close()
        chunk = store.searchable_ids(embedder=MODEL)[0]
    assert await verified(settings) == []
    (place,) = (file.parent for file in chroma_folder(settings).rglob("chroma.sqlite3"))
    client = chromadb.PersistentClient(str(place))
    break_it(client.get_collection("chunks"), chunk)
    client.close()
    (fault,) = await verified(settings)
    assert fault.startswith("Chroma ")
    with open_library(settings) as store:
        await rebuild_indexes(settings, store, MODEL)
    assert await verified(settings) == []
