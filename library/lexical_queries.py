"""Code that the full-text searches on SQLite and PostgreSQL share."""

import itertools
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

# If more chunks than this contain a phrase, about this many are searched, spread evenly across the library.
MOST_LOOKED_AT = 2_000

# Ranking takes a microsecond or two for each matching chunk. If the words match more chunks than this, only the rarest
# words choose the chunks, and the other words count only for the score.
MOST_RANKED = 50_000

# The columns of a chunk with its original text.
WRITTEN = "chunks.document_title, CAST(chunks.heading_path AS TEXT), chunks.text"


def choosing_words(chunks_with: Mapping[str, int]) -> list[str]:
    """Return the words that choose the chunks, rarest first: as many as ``MOST_RANKED`` allows, and at least one.

    ``chunks_with`` maps each word to the number of chunks that contain it.
    """
    by_rarity = sorted(chunks_with, key=lambda word: chunks_with[word])
    sums = itertools.accumulate(chunks_with[word] for word in by_rarity)
    return by_rarity[: max(1, sum(total <= MOST_RANKED for total in sums))]


def written_text(row: Row[*tuple[Any, ...]]) -> str:
    """Return the title, headings and text in the ``WRITTEN`` columns of a row."""
    return "\n".join((row[0], *json.loads(row[1]), row[2]))


def like_pattern(verbatim: str) -> str:
    """Return an SQL LIKE pattern for texts that contain ``verbatim``, with a backslash as the escape."""
    escaped = verbatim.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"
