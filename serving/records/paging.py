"""Paging: where a list goes on, as one word that clients send back."""

import base64
import binascii
import json
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from contracts.errors import InvalidInput
from library.records.rows import Place

MAX_LIMIT = 200

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items a page holds at most.")]
After = Annotated[str, Query(max_length=1_000, description="Where to go on: `next` of the page before.")]


def word_of(moment: datetime, entry_id: str) -> str:
    """Return the word that says where a list goes on."""
    plain = json.dumps([moment.astimezone(UTC).isoformat(), entry_id])
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def place_of(word: str) -> Place | None:
    """Return where a list goes on; None from its beginning.

    Raises:
        InvalidInput: the word is none of ours.
    """
    if not word:
        return None
    try:
        plain = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        moment, entry_id = json.loads(plain)
        return datetime.fromisoformat(moment).astimezone(UTC), str(entry_id)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(
            "after is no word of ours: send `next` of the page before as it is.", field="after"
        ) from None
