"""The interface to the full-text search of a database."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection, Row

from contracts.search import DocumentIds, Groups

# If more chunks contain a phrase, this many are searched, spread evenly over the library.
MOST_LOOKED_AT = 2_000

# Ranking takes a microsecond or two for each chunk that matches. If the words match more chunks than this, the rarest
# of them choose the chunks, and the others count for the score only.
MOST_RANKED = 50_000

# The columns of a chunk with its original text.
WRITTEN = "chunks.document_title, CAST(chunks.heading_path AS TEXT), chunks.text"


def choosing_words(chunks_with: Mapping[str, int]) -> list[str]:
    """Return the words, rarest first, that choose the chunks: as many as ``MOST_RANKED`` allows, and at least one.

    ``chunks_with`` says how many chunks have each word.
    """
    by_rarity = sorted(chunks_with, key=lambda word: chunks_with[word])
    sums = itertools.accumulate(chunks_with[word] for word in by_rarity)
    return by_rarity[: max(1, sum(total <= MOST_RANKED for total in sums))]


def written_text(row: Row[*tuple[Any, ...]]) -> str:
    """Return title, headings and text of the ``WRITTEN`` columns of a row."""
    return "\n".join((row[0], *json.loads(row[1]), row[2]))


def like_pattern(verbatim: str) -> str:
    """Return SQL's LIKE pattern of the texts that contain ``verbatim``, with a backslash as the escape."""
    escaped = verbatim.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"


class LexicalEngine(Protocol):
    """The full-text search of one kind of database."""

    def search(
        self, connection: Connection, words: Sequence[str], top_k: int, groups: Groups, documents: DocumentIds
    ) -> list[tuple[str, float]]:
        """Find the chunks of ``documents`` (None: all) that match any of ``words``, with BM25 scores, best first."""

    def count(self, connection: Connection, words: Sequence[str], verbatim: str | None, groups: Groups) -> int:
        """Count the passages with the phrase ``words``, and with ``verbatim``, if given, in their text."""

    def passages(
        self, connection: Connection, words: Sequence[str], written: str | None, limit: int, groups: Groups
    ) -> list[tuple[str, str, str, str]]:
        """Return id, document id, document name and text of passages with the phrase ``words``.

        Without ``written``, words are compared by stem; with it, they are compared exactly, and the text must contain
        ``written`` in the same letter case. The first passages of all documents come before second ones. If more than
        ``MOST_LOOKED_AT`` chunks contain the phrase, every second one is searched, or every third, and so on.
        """

    def vocabulary(self, connection: Connection, limit: int) -> dict[str, int]:
        """Return the ``limit`` most frequent words with the number of chunks of each."""

    def texts_with(self, connection: Connection, word: str, limit: int, groups: Groups) -> list[str]:
        """Return titles, headings and texts of some chunks that contain ``word``."""
