from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from contracts.text import Chunk, ChunkKind, Document

# The signature of the fixture `put`.
Put = Callable[..., Document]


def document_of(name: str, *, group: str = "everyone", version: str = "1") -> Document:
    return Document(
        id=f"id-{name}",
        name=name,
        path=f"/documents/{name}",
        media_type="text/plain",
        content_hash=version,
        title="",
        pages=1,
        group=group,
    )


def chunk_of(document: Document, kind: ChunkKind, ordinal: int, text: str, section_id: str | None = None) -> Chunk:
    chunk_id = f"{document.id}-{document.content_hash}-{kind}-{ordinal}"
    return Chunk(
        id=chunk_id,
        document_id=document.id,
        kind=kind,
        ordinal=ordinal,
        text=text,
        page=1,
        last_page=1,
        section_id=section_id,
    )


def unit_vectors(count: int) -> NDArray[np.float32]:
    return np.eye(max(count, 1), 4, dtype=np.float32)[:count]


def ids(found: Sequence[tuple[str, float]]) -> list[str]:
    return [chunk_id for chunk_id, _ in found]
