"""The consistency check of the library, and the removal of documents with a proof that they are gone."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from contracts.errors import Unavailable
from golden_retriever.settings import Settings
from golden_retriever.wiring.indexes import build_chroma_index, has_chroma

if TYPE_CHECKING:
    from contracts.documents import RemovalProof
    from contracts.text import Chunk
    from ingestion.pipeline import IngestionPipeline
    from library.store import LibraryStore
    from tools.embedding.base import Embedder, Matrix
    from tools.search.base import Fingerprint, LexicalIndex, VectorIndex

# How many times an index is compared again because the library changed in the meantime.
_TRIES = 10
_PROBES = 16
_NEAREST = 20


async def verify_indexes(settings: Settings, store: "LibraryStore", embedder_name: str) -> list[str]:
    """Check the consistency of SQL and compare it with Chroma; return a line for each fault, none if all agree.

    The first server creates Chroma's folder: before that there is nothing to compare.

    Raises:
        Conflict: another process (the server) owns Chroma's folder.
        Unavailable: the database cannot be read right now.
    """
    from library.consistency import find_faults

    faults = await asyncio.to_thread(find_faults, store.engine)
    faults += [
        f"{len(store.searchable_ids(embedder=name))} chunks have vectors of a different model ({name}): ingest again"
        for name in store.embedders()
        if name != embedder_name
    ]
    if has_chroma(settings) or (settings.dense_index == "chroma" and settings.chroma_url):
        name = "the Chroma server" if settings.chroma_url else "Chroma"
        index = build_chroma_index(settings, store, embedder_name)
        try:
            held, wanted = await _compare(index.fingerprint, store, embedder_name)
            if held != wanted:
                faults.append(
                    f"{name} contains {held.count} chunks and differs from SQL, which contains {wanted.count}"
                )
        except Unavailable as error:
            faults.append(f"{name} cannot be read: {error}")
        finally:
            await index.close()
    return faults


async def _compare(
    read_held: Callable[[], Awaitable["Fingerprint"]], store: "LibraryStore", embedder_name: str
) -> tuple["Fingerprint", "Fingerprint"]:
    """Return the fingerprints of an index and of SQL, read again if they differ because the library has changed."""
    from tools.search.base import fingerprint_of

    for tries in range(1, _TRIES + 1):
        version = await asyncio.to_thread(store.version)
        groups = await asyncio.to_thread(lambda: store.searchable_groups(embedder=embedder_name))
        wanted = await asyncio.to_thread(fingerprint_of, embedder_name, groups)
        held = await read_held()
        if held == wanted or tries == _TRIES or await asyncio.to_thread(store.version) == version:
            break
    return held, wanted


async def remove_with_proof(
    document_id: str,
    pipeline: "IngestionPipeline",
    store: "LibraryStore",
    vector_index: "VectorIndex",
    lexical: "LexicalIndex",
    embedder: "Embedder",
) -> "RemovalProof":
    """Remove a document from SQL, the vectors and the lexical index, and show that no search finds it.

    Raises:
        NotFound: there is no such document.
        Unavailable: the database is not available.
    """
    from contracts.documents import OtherCopy, RemovalProof

    async def read_held() -> "Fingerprint":
        await _settle(vector_index)
        return await vector_index.fingerprint()

    chunks = await asyncio.to_thread(store.document_chunks, document_id)
    searched = [chunk for chunk in chunks if chunk.kind != "section"]
    probes = searched[:: max(1, len(searched) // _PROBES)][:_PROBES]
    vectors = await asyncio.to_thread(_vectors_of, store, embedder.name, document_id, probes)
    removal = await pipeline.remove(document_id)
    await _settle(vector_index)
    gone = set(removal.chunk_ids)
    near = {hit.chunk_id for vector in vectors for hit in await asyncio.to_thread(vector_index.find, vector, _NEAREST)}
    alike = {
        hit.chunk_id for each in probes for hit in await asyncio.to_thread(lexical.find, each.searchable_text, _NEAREST)
    }
    left = {
        "in SQL": len(await asyncio.to_thread(store.chunks, removal.chunk_ids)),
        "in the vector index": len(near & gone),
        "in the lexical index": len(alike & gone),
    }
    problems = [f"{count} chunks are still {where}" for where, count in left.items() if count]
    if await asyncio.to_thread(store.document, document_id) is not None:
        problems.append("the document is still in SQL")
    held, wanted = await _compare(read_held, store, embedder.name)
    if held != wanted:
        problems.append("the vector index does not match SQL")
    return RemovalProof(
        id=removal.document.id,
        path=removal.document.path,
        chunks=len(removal.chunk_ids),
        vectors=removal.vectors,
        searched_again=len(probes),
        problems=tuple(problems),
        copies=tuple(
            OtherCopy(id=each.document_id, path=each.path, answers=each.answers, group=each.group)
            for each in await asyncio.to_thread(store.ledger.copies_of, removal.document)
        ),
    )


async def _settle(vector_index: "VectorIndex") -> None:
    from tools.search.fallback import FallbackVectorIndex

    await vector_index.synchronise()
    if isinstance(vector_index, FallbackVectorIndex):
        # Also check the index that replaces the fallback later.
        await vector_index.settled()


def _vectors_of(
    store: "LibraryStore", embedder_name: str, document_id: str, chunks: "Sequence[Chunk]"
) -> "Sequence[Matrix]":
    own = set(store.searchable_ids(embedder=embedder_name, documents=[document_id]))
    ids = [chunk.id for chunk in chunks if chunk.id in own]
    return list(store.vectors(ids)) if ids else []
