"""An in-memory library of documents that use abbreviations, for finding the sense of other uses."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.search import Groups, PhraseUse
from golden_lab.datasets.uses import Use
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from tools.embedding.base import Embedder, Matrix
from tools.language import content_stems

# If two texts have at least this share of their words in common, one is left out: it would reveal the other's meaning.
_SAME_TEXT = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptUse:
    use: PhraseUse
    stems: str
    vector: Matrix


class UsageLibrary:
    """Contains the texts of each document's uses, and spells out each sense once, as real documents do.

    It provides a lexical index and a searcher for these passages. Each document has its own access group, so that a
    reader of some groups finds nothing from the others.
    """

    def __init__(self, uses: Sequence[Use], kept: Sequence[_KeptUse], embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept = kept
        self._vectors = {each.use.chunk_id: each.vector for each in kept}
        self._of_term: dict[tuple[str, str], list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for use in uses:
            words = frozenset(content_stems(use.text))
            self._of_term[use.collection, use.term].append((document_of(use), words))
        self.documents = frozenset(map(document_of, uses))

    @classmethod
    async def of(cls, uses: Sequence[Use], embedder: Embedder) -> "UsageLibrary":
        """Make a library of ``uses``; each sense is spelt out as "expansion (abbreviation)"."""
        texts: dict[tuple[str, str], None] = {}
        for use in uses:
            texts[document_of(use), use.text] = None
            texts[document_of(use), f"{use.gold} ({use.term})"] = None
        vectors = await embedder.embed_documents([text for _, text in texts])
        kept = [
            _KeptUse(
                use=PhraseUse(chunk_id=f"{document}#{row}", document_id=document, document_name=document, text=text),
                stems=f" {' '.join(content_stems(text))} ",
                vector=vector,
            )
            for row, ((document, text), vector) in enumerate(zip(texts, vectors, strict=True))
        ]
        return cls(uses, kept, embedder)

    def others(self, use: Use) -> frozenset[str]:
        """Return the documents that may reveal the sense of ``use``: not its own, nor any with almost the same text."""
        words = set(content_stems(use.text))
        twins = {
            document
            for document, kept in self._of_term[use.collection, use.term]
            if len(words & kept) >= _SAME_TEXT * len(words | kept)
        }
        return self.documents - twins - {document_of(use)}

    def lexical(self) -> "UsageLexicalIndex":
        """Return the library's lexical index."""
        return UsageLexicalIndex(self._kept)

    def searcher(self) -> "UsageSearcher":
        """Return the library's searcher."""
        return UsageSearcher(self._vectors, self._embedder)


class UsageLexicalIndex(EmptyLexicalIndex):
    """Finds passages that contain a phrase; it cannot be searched with questions."""

    def __init__(self, kept: Sequence[_KeptUse]) -> None:
        self._kept = kept

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Find up to ``limit`` passages that contain ``phrase``, the first of each document before any second ones."""
        stems = f" {' '.join(content_stems(phrase))} "
        written = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
        turns: Counter[str] = Counter()
        found: list[tuple[int, PhraseUse]] = []
        for each in self._kept:
            document, text = each.use.document_id, each.use.text
            there = phrase in text and written.search(text) if as_written else stems in each.stems
            if there and (groups is None or document in groups):
                found.append((turns[document], each.use))
                turns[document] += 1
        return tuple(use for _, use in sorted(found, key=lambda pair: pair[0])[:limit])


class UsageSearcher(EmptySearcher):
    """Computes how similar the library's passages are to a question; its searches always return nothing."""

    def __init__(self, vectors: Mapping[str, Matrix], embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine similarity of ``question`` and each of these passages."""
        (query,) = await self._embedder.embed_queries([question])
        return {chunk_id: float(self._vectors[chunk_id] @ query) for chunk_id in chunk_ids}


def document_of(use: Use) -> str:
    """Return the name of the document that ``use`` was taken from, or of a document that contains only this use."""
    return f"{use.collection}/{use.document or use.id}"
