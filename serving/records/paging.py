"""Paging: where a list goes on, as one word that clients send back."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from contracts.errors import InvalidInput
from library.records.rows import PageCursor

MAX_LIMIT = 200

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items a page holds at most.")]
After = Annotated[str, Query(max_length=1_000, description="Where to go on: `next` of the page before.")]


def word_of(moment: datetime, entry_id: str) -> str:
    """Return the word that says where a list goes on."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}_{entry_id}"


def place_of(word: str) -> PageCursor | None:
    """Return where a list goes on; None from its beginning.

    Raises:
        InvalidInput: the word is none of ours.
    """
    if not word:
        return None
    moment, _, entry_id = word.partition("_")
    try:
        return datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC), entry_id
    except ValueError:
        raise InvalidInput(
            "after is no word of ours: send `next` of the page before as it is.", field="after"
        ) from None
