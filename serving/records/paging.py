"""Paging: the position in a list, as a token that clients send back."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from contracts.errors import InvalidInput
from library.records.rows import PageCursor

MAX_LIMIT = 200

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The maximum number of items per page.")]
After = Annotated[str, Query(max_length=1_000, description="Where to continue: `next` of the previous page.")]


def word_of(moment: datetime, entry_id: str) -> str:
    """Return the token for the position at which a list continues."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}_{entry_id}"


def place_of(word: str) -> PageCursor | None:
    """Return the position at which a list continues; None for its beginning.

    Raises:
        InvalidInput: the token is not valid.
    """
    if not word:
        return None
    moment, _, entry_id = word.partition("_")
    try:
        return datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC), entry_id
    except ValueError:
        raise InvalidInput("after is not valid: send `next` of the previous page unchanged.", field="after") from None
