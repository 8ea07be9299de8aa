"""Which passages are asked about: drawn by a seed, the documents taking turns."""

import hashlib
import random
from collections.abc import Iterator, Sequence

from contracts.errors import InvalidInput
from contracts.text import Document, Passage
from library.store import LibraryStore
from tools.language import split_sentences


def choose_documents(store: LibraryStore, names: Sequence[str]) -> tuple[Document, ...]:
    """Return the documents of the library, or those called ``names`` (a file's name, path or number), by name.

    Raises:
        InvalidInput: the library is empty, or holds no document of one of the names.
    """
    documents = sorted(store.documents(), key=lambda each: (each.name, each.path))
    if not documents:
        raise InvalidInput("the library is empty: put documents in with golden ingest PATH", field="library")
    for name in names:
        if not any(name in (each.name, each.path, each.id) for each in documents):
            raise InvalidInput(
                f'there is no document "{name}" in the library: golden documents list shows them', field="document"
            )
    return tuple(each for each in documents if not names or {each.name, each.path, each.id} & set(names))


def draw_passages(store: LibraryStore, documents: Sequence[Document], *, seed: int) -> Iterator[Passage]:
    """Yield every passage of ``documents`` once, in an order drawn by ``seed``; the documents take turns.

    Equal documents and seed make an equal order, whatever else the library holds.
    """
    turns = list(documents)
    random.Random(seed).shuffle(turns)
    waiting = {each.id: _shuffled(store, each, seed) for each in turns}
    while waiting:
        for document in turns:
            passages = waiting.get(document.id)
            if passages:
                yield passages.pop()
            elif passages is not None:
                del waiting[document.id]


def _shuffled(store: LibraryStore, document: Document, seed: int) -> list[Passage]:
    passages = [
        Passage(
            chunk=chunk,
            document_name=document.name,
            document_title=document.title,
            score=0.0,
            sentences=split_sentences(chunk.text),
        )
        for chunk in store.document_chunks(document.id)
        if chunk.kind == "passage"
    ]
    digest = hashlib.sha256(f"{seed}\0{document.name}".encode()).digest()
    random.Random(int.from_bytes(digest[:8], "big")).shuffle(passages)
    return passages
