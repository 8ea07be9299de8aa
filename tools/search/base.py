"""The contracts of search: a vector index, a lexical index, and the searcher that combines them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.search import DocumentIds, Groups, Hit, PhraseUse
from contracts.text import Passage
from tools.embedding.base import Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """A summary of an index, for comparison with SQL: the number of chunks, and a digest of ids, groups and model."""

    count: int
    digest: str


def fingerprint_of(embedder_name: str, groups: Mapping[str, str]) -> Fingerprint:
    """Return the fingerprint of an index for ``embedder_name``; ``groups`` maps chunk ids to document groups."""
    # One digest of the joined text, because a million separate updates take a second longer.
    rows = "".join([f"\n{chunk_id}\t{group}" for chunk_id, group in groups.items()])
    digest = hashlib.sha256(f"{embedder_name}{rows}".encode())
    return Fingerprint(count=len(groups), digest=digest.hexdigest())


class VectorIndex(Protocol):
    """Finds the chunks nearest to a vector. It is derived from SQL and may be rebuilt at any time.

    Its methods raise ``Conflict`` if another process owns its files, and ``Unavailable`` if it cannot be read or built.
    """

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks of ``groups`` (None: all) nearest to ``vector`` (shape ``(dimensions,)``)."""

    async def fingerprint(self) -> Fingerprint:
        """Return the fingerprint of the index."""

    async def synchronise(self) -> None:
        """Make the content of the index equal to SQL: add and remove chunks, or rebuild the index if it is damaged."""

    async def close(self) -> None:
        """Release files and locks."""


class LexicalIndex(Protocol):
    """Finds chunks by their words (BM25). It is part of the SQL database and changes in the same transactions.

    Its methods block, and raise ``Unavailable`` if the database cannot be used now.
    """

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks that match any content word of ``query``; any string is a valid query.

        Only chunks of ``groups`` and of ``documents`` (None: all) are searched.
        """

    def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Count the passage chunks that contain ``term``, a word or phrase, as whole words in any letter case."""

    def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> list[str]:
        """Return words in documents of ``groups`` with a similar spelling to ``term``, most similar first."""

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Find up to ``limit`` passages that contain ``phrase``, in any letter case and with any endings.

        ``as_written`` requires the same letter case and endings: "BE" does not match "be". The first passages of all
        documents come before any second passage.
        """


class PassageSearcher(Protocol):
    """Finds passages for a question."""

    async def search(
        self,
        queries: Sequence[str],
        top_k: int,
        *,
        groups: Groups = None,
        documents: DocumentIds = None,
        jargon: Sequence[str] = (),
    ) -> tuple[Passage, ...]:
        """Return the ``top_k`` best passages for several wordings of one question, best first.

        ``groups`` are the groups that the asker may read; ``documents`` are the ids of documents to search (None: all).
        ``jargon`` are the terms in the question: the larger their share, the more weight the lexical index gets. If a
        summary is found, the passages of its section are included. ``dense`` of a passage is its best for any wording.

        Raises:
            Unavailable: the library cannot be read now.
        """

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosines, in [-1, 1], of ``question`` with the chunks that can be compared.

        Deleted chunks, and chunks with a vector from a different model, are left out. Raises the errors of ``search``.
        """
