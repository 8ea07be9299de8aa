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
    """The content of an index, for comparison with SQL: a count, and a digest of ids and model."""

    count: int
    digest: str


def fingerprint_of(embedder_name: str, groups: Mapping[str, str]) -> Fingerprint:
    """Return the fingerprint of an index of ``embedder_name`` with these chunks, by id, in these document groups."""
    # One digest of the joined text: a million separate updates take a second longer.
    rows = "".join([f"\n{chunk_id}\t{group}" for chunk_id, group in groups.items()])
    digest = hashlib.sha256(f"{embedder_name}{rows}".encode())
    return Fingerprint(count=len(groups), digest=digest.hexdigest())


class VectorIndex(Protocol):
    """Finds the chunks nearest to a vector. Derived from SQL: it may be dropped and rebuilt at any time.

    Its methods raise ``Conflict`` if another process owns its files, ``Unavailable`` if it cannot be read or built.
    """

    def find(self, vector: Matrix, top_k: int, *, groups: Groups = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks of ``groups`` (None: all) nearest to ``vector`` (shape ``(dimensions,)``)."""

    async def fingerprint(self) -> Fingerprint:
        """Return the fingerprint of the index."""

    async def synchronise(self) -> None:
        """Make the content of the index equal to SQL: add and remove the difference, rebuild it if damaged."""

    async def close(self) -> None:
        """Release files and locks."""


class LexicalIndex(Protocol):
    """Finds chunks by their words (BM25). It is part of the SQL database and changes with it in one transaction.

    Its methods block, and raise ``Unavailable`` if the database cannot be used right now.
    """

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks that match any content word of ``query``; any string is a valid query.

        They are chunks of ``groups`` and of ``documents`` (None: all).
        """

    def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Count the passage chunks that contain ``term`` (a word or phrase, any letter case, as whole words)."""

    def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> list[str]:
        """Return words of the documents of ``groups`` spelt similarly to ``term``, nearest first."""

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Find up to ``limit`` passages that contain ``phrase``, in any letter case and with any ending.

        ``as_written`` requires the given letter case and no endings: "BE" is not "be". Every document's first passage
        comes before any document's second.
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

        ``groups`` are those the asker may read, ``documents`` the ids of those they chose (None: all). ``jargon`` names
        the terms in the question: the larger their share, the more the lexical index counts. For a found summary, the
        passages of its section are included. ``dense`` of a passage is the best among the wordings.

        Raises:
            Unavailable: the library cannot be read right now.
        """

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine in [-1, 1] of ``question`` with each of these chunks that can be compared.

        Chunks with a vector of another model, and deleted ones, are left out. Raises like ``search``.
        """
