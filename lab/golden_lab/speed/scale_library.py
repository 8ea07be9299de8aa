"""A library of any size: the documents of real libraries, then copies with different words and numbers."""

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from contracts.errors import InvalidInput
from contracts.text import Chunk, Document
from database.connection import open_database
from library.store import SEARCHED_KINDS, LibraryStore
from tools.embedding.base import Matrix

# One word in eight is replaced, and a copy's vector has a cosine of about 0.9 with the original vector.
_SWAPPED = 8
_NOISE = 0.5
_WORD = re.compile(r"(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document with its chunks; ``vectors`` has one row for each passage and summary, in the same order."""

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: Matrix

    @property
    def passages(self) -> int:
        """The number of passages."""
        return sum(chunk.kind == "passage" for chunk in self.chunks)


def read_libraries(folders: Sequence[Path], embedder: str) -> tuple[StoredDocument, ...]:
    """Read every document of the libraries in these data folders.

    Raises:
        InvalidInput: a folder contains no library, or no library has documents embedded by ``embedder``.
    """
    found: list[StoredDocument] = []
    for folder in folders:
        file = folder / "golden.db"
        if not file.is_file():
            raise InvalidInput(f"{folder} contains no library (golden.db)", field="folders")
        engine = open_database(f"sqlite:///{file}")
        try:
            store = LibraryStore(engine)
            embedded = set(store.searchable_ids(embedder=embedder))
            for document in store.documents():
                chunks = store.document_chunks(document.id)
                searched = [chunk.id for chunk in chunks if chunk.kind in SEARCHED_KINDS]
                if searched and embedded.issuperset(searched):
                    found.append(StoredDocument(document=document, chunks=chunks, vectors=store.vectors(searched)))
        finally:
            engine.dispose()
    if not found:
        raise InvalidInput(f"the libraries contain no document embedded by {embedder}", field="folders")
    return tuple(found)


def documents_without_end(originals: Sequence[StoredDocument], *, seed: int) -> Iterator[StoredDocument]:
    """Yield the originals, then an altered copy of each, then another copy, and so on; equal seeds give equal copies.

    In a copy, some words are replaced by words of the same length, drawn by frequency, and digits by other digits, so
    that the text still fits its boxes. The vectors are the original ones with a little noise: nothing is embedded.
    """
    yield from originals
    words = _words_by_length(originals)
    copy = 0
    while True:
        copy += 1
        for number, original in enumerate(originals):
            yield _perturbed(original, copy, words, random.Random(f"{seed} {copy} {number}"))


def draw_questions(originals: Sequence[StoredDocument], count: int, *, seed: int) -> tuple[str, ...]:
    """Draw ``count`` questions, each about two of the longer words of a passage."""
    draw = random.Random(seed)
    passages = [chunk for each in originals for chunk in each.chunks if chunk.kind == "passage"]
    questions: list[str] = []
    while len(questions) < count:
        words = {word for word in _WORD.findall(draw.choice(passages).text) if word.isalpha()}
        if len(words) > 1:
            longest = sorted(words, key=lambda word: (-len(word), word))[:2]
            questions.append(f"How do I use {longest[0]} with {longest[1]}?")
    return tuple(questions)


def _words_by_length(documents: Sequence[StoredDocument]) -> Mapping[int, Sequence[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    same: dict[str, str] = {}
    for document in documents:
        for chunk in document.chunks:
            if chunk.kind == "passage":
                for word in _WORD.findall(chunk.text):
                    found[len(word)].append(same.setdefault(word, word))
    return found


def _perturbed(
    original: StoredDocument, copy: int, words: Mapping[int, Sequence[str]], draw: random.Random
) -> StoredDocument:
    def renamed(name: str) -> str:
        return hashlib.sha256(f"{name} {copy}".encode()).hexdigest()[:24]

    document = original.document
    noise = np.random.default_rng(draw.getrandbits(64)).standard_normal(original.vectors.shape, dtype=np.float32)
    vectors = original.vectors + noise * np.float32(_NOISE / original.vectors.shape[1] ** 0.5)
    return StoredDocument(
        document=replace(
            document,
            id=renamed(document.id),
            name=f"{copy}-{document.name}",
            path=f"/copies/{copy}{document.path}",
            content_hash=renamed(document.content_hash),
        ),
        chunks=tuple(
            replace(
                chunk,
                id=renamed(chunk.id),
                document_id=renamed(document.id),
                section_id=chunk.section_id and renamed(chunk.section_id),
                text=_other_words(chunk.text, words, draw),
            )
            for chunk in original.chunks
        ),
        vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
    )


def _other_words(text: str, words: Mapping[int, Sequence[str]], draw: random.Random) -> str:
    parts = _WORD.split(text)
    count = len(parts) // 2
    for _ in range(count // _SWAPPED):
        at = 2 * int(draw.random() * count) + 1
        word = parts[at]
        if word.isdecimal():
            parts[at] = str(draw.randrange(10 ** len(word))).zfill(len(word))
        else:
            alike = words.get(len(word), (word,))
            parts[at] = alike[int(draw.random() * len(alike))]
    return "".join(parts)
