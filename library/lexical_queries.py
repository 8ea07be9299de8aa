"""What the full-text searches of SQLite and PostgreSQL share."""

import itertools
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

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
    """Return an SQL LIKE pattern for texts that contain ``verbatim``, with a backslash as the escape."""
    escaped = verbatim.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"
